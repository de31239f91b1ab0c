"""The statements of the five papers, their tests on results of the campaigns, and the page that counts them."""
