// The command `completion`: a script by which a shell completes commands, options and names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/data_sheets.hpp"
#include "real/kernels/catalog.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/console/console.hpp"
#include "tools/guard/stored_results.hpp"
#include "tools/report/glossary.hpp"

namespace equipoise {
namespace {

using Words = std::vector<std::string>;

/// What may follow one option.
struct OptionWords {
  std::string name;     ///< with its dashes
  std::string meaning;  ///< one line
  bool has_value = false;
  Words values;          ///< empty: any text, or a file
  bool is_list = false;  ///< several of the values may stand with commas between them
};

/// A command, and what may follow it.
struct CommandWords {
  std::string path;  ///< without the program's name, e.g. "trace import csv"
  std::string meaning;
  Words below;   ///< names of the commands below it
  Words values;  ///< of its first positional argument, if they are known
  std::vector<OptionWords> options;
};

/// `text` within single quotes of bash, zsh and fish.
std::string quoted(const std::string& text) {
  return "'" + boost::replace_all_copy(text, "'", "'\\''") + "'";
}

template <typename Catalog>
Words names_of(const Catalog& catalog) {
  Words names;
  for (const auto& entry : catalog) names.push_back(std::string(entry.name));
  return names;
}

/// The choices that CLI11 names in an option's type: "TEXT:{on,off}".
Words choices_of(const std::string& type) {
  const auto begin = type.find('{');
  const auto end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

Words values_of(const std::string& name, const CLI::Option& option) {
  if (name == "--policy" || name == "--baseline") {
    Words names = names_of(policy_catalog());
    names.emplace_back("all");
    return names;
  }
  if (name == "--quantity") return quantity_names();
  if (name == "--workload") return names_of(kernel_catalog());
  if (name == "--unit" && option.get_expected_max() > 1) {
    return names_of(unit_catalog());
  }
  return choices_of(option.get_type_name());
}

/// Lines of a table of bash: after "OPTION NAME", the parameters of that policy, kernel or unit.
template <typename Catalog>
std::string parameter_lines(const std::string& option, const Catalog& catalog) {
  std::string lines;
  for (const auto& entry : catalog) {
    Words words;
    for (const ParameterInfo& parameter : entry.parameters) words.push_back(parameter.name + "=");
    lines += fmt::format("    [{}]={}\n", quoted(fmt::format("{} {}", option, entry.name)),
                         quoted(fmt::to_string(fmt::join(words, " "))));
  }
  return lines;
}

std::string parameter_lines() {
  return parameter_lines("--policy", policy_catalog()) +
         parameter_lines("--workload", kernel_catalog()) +
         parameter_lines("--unit", unit_catalog());
}

/// The words of the glossary one by one, because shells complete one at a time, and all names.
Words words_to_explain() {
  std::set<std::string> words;
  for (const Term& term : glossary()) {
    for (const std::string& word : CLI::detail::split(term.word, ' ')) {
      if (word.find('\'') == std::string::npos) words.insert(word);
    }
    if (!term.name.empty()) words.insert(term.name);
  }
  return {words.begin(), words.end()};
}

/// What may follow `list WHAT`.
Words names_in_list(const std::string& what) {
  if (what == "policies") return names_of(policy_catalog());
  if (what == "kernels") return names_of(kernel_catalog());
  if (what == "devices") return names_of(data_sheets());
  return {};
}

/// Adds what follows arguments that are no commands: names behind `list WHAT`, and commands behind
/// `help`.
void add_arguments(std::vector<CommandWords>& commands) {
  std::vector<CommandWords> more;
  for (const CommandWords& command : commands) {
    more.push_back({command.path.empty() ? "help" : "help " + command.path,
                    command.meaning,
                    command.below,
                    {},
                    {}});
    if (command.path != "list") continue;
    for (const std::string& what : command.values) {
      CommandWords& list = more.emplace_back(command);
      list.path += " " + what;
      list.values = names_in_list(what);
    }
  }
  std::erase_if(commands, [](const CommandWords& command) { return command.path == "help"; });
  std::ranges::move(more, std::back_inserter(commands));
}

void add_commands(const CLI::App& command, const std::string& path,
                  std::vector<CommandWords>& commands) {
  CommandWords words{path, command.get_description(), {}, {}, {}};
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional() && option->get_lnames().empty()) {
      if (words.values.empty()) words.values = choices_of(option->get_type_name());
      continue;
    }
    for (const std::string& name : option->get_lnames()) {
      const std::string dashed = "--" + name;
      words.options.push_back({dashed, option->get_description(),
                               option->get_items_expected_max() > 0, values_of(dashed, *option),
                               dashed == "--policy"});
    }
  }
  if (path == "explain") words.values = words_to_explain();
  std::vector<const CLI::App*> below = command.get_subcommands({});
  for (const CLI::App* const next : below) words.below.push_back(next->get_name());
  commands.push_back(std::move(words));
  for (const CLI::App* const next : below) {
    add_commands(*next, path.empty() ? next->get_name() : path + " " + next->get_name(), commands);
  }
}

/// With places for tables of commands, options, values and parameters.
constexpr std::string_view bash_script =
    R"(# Completion of equipoise for bash, and for zsh after bashcompinit.
_equipoise() {{
  local -A below=(
{})
  local -A options=(
{})
  local -A values=(
{})
  local -A parameters=(
{})
  local path= next word i last before= current owner= names rest part
  local -a words=("${{COMP_WORDS[@]:0:COMP_CWORD+1}}")
  if [[ -n ${{COMP_LINE:-}} && -n ${{COMP_WORDBREAKS:-}} ]]; then  # bash splits at : and =, too
    rest=${{COMP_LINE:0:COMP_POINT}}
    read -ra words <<< "$rest"
    [[ $rest == *[[:space:]] ]] && words+=('')
  fi
  for ((i = 1; i < ${{#words[@]}} - 1; i++)); do
    word=${{words[i]}}
    case " ${{below[/$path]}} " in
      *" $word "*) next=${{path:+$path }}$word; [[ -n ${{options[/$next]+there}} ]] && path=$next ;;
    esac
  done
  word=${{words[${{#words[@]}} - 1]}}
  last=${{words[${{#words[@]}} - 2]}}
  if [[ $word == --*=* ]]; then last=${{word%%=*}}; word=${{word#*=}}; fi
  if [[ -n ${{values[$path $last]+there}} ]]; then
    current=$word
    names=${{values[$path $last]}}
    if [[ $last == --policy ]]; then
      # Behind a comma stands another policy, or another parameter of the last one with a colon.
      current=${{word##*,}}
      before=${{word%"$current"}}
      rest=${{before%,}}
      while [[ -n $rest ]]; do
        part=${{rest##*,}}
        [[ $part == *:* ]] && owner=${{part%%:*}}
        [[ $part == *=* && $part != *:* && $rest == *,* ]] || break
        rest=${{rest%,*}}
      done
      [[ -n $owner ]] && names+=" ${{parameters[$last $owner]}}"
      if [[ $current == *:* ]]; then
        owner=${{current%%:*}}
        before+=$owner:
        current=${{current#*:}}
        names=${{parameters[$last $owner]}}
      fi
    elif [[ ($last == --workload && $word == *:*) || ($last == --unit && $word == *,*) ]]; then
      owner=${{word%%[:,]*}}
      current=${{word##*[:,]}}
      before=${{word%"$current"}}
      names=${{parameters[$last $owner]}}
    fi
    if [[ -z $names && -z $owner ]]; then
      COMPREPLY=($(compgen -f -- "$word"))
    else
      COMPREPLY=($(compgen -P "$before" -W "$names" -- "$current"))
      compopt +o filenames 2>/dev/null
      [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
    fi
    if [[ -n ${{COMP_LINE:-}} && ${{COMP_WORDBREAKS:-}} == *:* && $word == *[:=]* ]]; then
      before=${{word%"${{word##*[:=]}}"}}
      COMPREPLY=("${{COMPREPLY[@]#"$before"}}")
    fi
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "${{options[/$path]}}" -- "$word"))
  elif [[ -n ${{below[/$path]}} ]]; then
    COMPREPLY=($(compgen -W "${{below[/$path]}}" -- "$word"))
  elif [[ $path == help* ]]; then
    COMPREPLY=()
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _equipoise equipoise
)";

std::string bash_text(const std::vector<CommandWords>& commands) {
  std::string below;
  std::string options;
  std::string values;
  for (const CommandWords& command : commands) {
    Words first = command.below;
    first.insert(first.end(), command.values.begin(), command.values.end());
    Words names;
    for (const OptionWords& option : command.options) {
      names.push_back(option.name);
      if (!option.has_value) continue;
      const std::string after = command.path + " " + option.name;
      values += fmt::format("    [{}]={}\n", quoted(after),
                            quoted(fmt::to_string(fmt::join(option.values, " "))));
    }
    if (!first.empty())
      below += fmt::format("    [{}]={}\n", quoted("/" + command.path),
                           quoted(fmt::to_string(fmt::join(first, " "))));
    options += fmt::format("    [{}]={}\n", quoted("/" + command.path),
                           quoted(fmt::to_string(fmt::join(names, " "))));
  }
  return fmt::format(bash_script, below, options, values, parameter_lines());
}

/// The values, and behind those of policies their parameters: "ss ss:min_block_items=".
std::string fish_values(const OptionWords& option) {
  std::string values = fmt::to_string(fmt::join(option.values, " "));
  if (option.is_list) {
    for (const PolicyInfo& info : policy_catalog()) {
      for (const ParameterInfo& parameter : info.parameters) {
        values += fmt::format(" {}:{}=", info.name, parameter.name);
      }
    }
  }
  return option.is_list ? "(__equipoise_list " + values + ")" : values;
}

std::string fish_text(const std::vector<CommandWords>& commands) {
  std::string text = R"(# Completion of equipoise for fish.
# Whether the commands that were typed are exactly these.
function __equipoise_at
  set -l typed (commandline -opc)[2..-1]
  set -l commands
  for word in $typed
    string match -q -- '-*' $word; and break
    set -a commands $word
  end
  test "$commands" = "$argv"
end
# Whether they begin with these.
function __equipoise_below
  string match -q -- "$argv *" (string join ' ' (commandline -opc)[2..-1] '')
end
# The words, behind those that stand before the last comma already.
function __equipoise_list
  set -l before (string match -r -- '^(?:--[a-z-]+=)?(.*,)' (commandline -ct))
  for word in $argv
    echo $before[2]$word
  end
end
)";
  for (const CommandWords& command : commands) {
    const std::string at = "complete -c equipoise -n " + quoted("__equipoise_at " + command.path);
    for (const CommandWords& below : commands) {
      const auto space = below.path.rfind(' ');
      const std::string parent = space == std::string::npos ? "" : below.path.substr(0, space);
      if (below.path.empty() || parent != command.path) continue;
      const std::string name =
          space == std::string::npos ? below.path : below.path.substr(space + 1);
      text += fmt::format("{} -f -a {} -d {}\n", at, name, quoted(below.meaning));
    }
    for (const std::string& value : command.values) {
      text += fmt::format("{} -f -a {}\n", at, quoted(value));
    }
    const std::string below =
        command.below.empty()
            ? "complete -c equipoise -n " + quoted("__equipoise_below " + command.path)
            : at;
    for (const OptionWords& option : command.options) {
      text += fmt::format(
          "{} -l {}{}{} -d {}\n", below, option.name.substr(2), option.has_value ? " -r" : "",
          option.values.empty() ? std::string() : " -f -a " + quoted(fish_values(option)),
          quoted(option.meaning));
    }
  }
  return text;
}

int completion_command(const CLI::App& app, const std::string& shell) {
  std::vector<CommandWords> commands;
  add_commands(app, "", commands);
  add_arguments(commands);
  std::string text;
  if (shell == "fish") {
    text = fish_text(commands);
  } else {
    if (shell == "zsh") text = "autoload -U +X bashcompinit && bashcompinit\n";
    text += bash_text(commands);
  }
  return print_out("{}", text);
}

}  // namespace

void add_completion(CLI::App& app, TypedCommand& typed) {
  CLI::App* c = app.add_subcommand(
      "completion", "Prints a script that lets your shell complete commands, options and names");
  const auto shell = std::make_shared<std::string>();
  c->add_option("SHELL", *shell, "which shell")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  c->footer("Example:\n  source <(equipoise completion bash)");
  c->callback([&app, &typed, shell] {
    typed.run = [&app, shell] { return completion_command(app, *shell); };
  });
}

}  // namespace equipoise
