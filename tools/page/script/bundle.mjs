// Bundles the page's scripts and writes them as a C++ source that the program embeds.
//     node bundle.mjs NODE_MODULES OUT.cpp
// The script is deflated and in base64: a page unpacks it when it is opened.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const [modules, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(pathToFileURL(join(modules, "esbuild", "package.json")))("esbuild");

const { outputFiles } = await esbuild.build({
  entryPoints: [join(here, "main.js")],
  nodePaths: [modules],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2020",
  legalComments: "eof",
});
const style = await esbuild.transform(readFileSync(join(here, "page.css"), "utf8"), {
  loader: "css",
  minify: true,
});

/** `text` as adjacent C++ string literals of moderate length. */
function literals(text) {
  const pieces = text.match(/[^]{1,4000}/g) ?? [""];
  return pieces.map((piece) => `    ${JSON.stringify(piece)}`).join("\n");
}

const script = deflateSync(outputFiles[0].contents, { level: 9 }).toString("base64");
writeFileSync(
  out,
  `// Made by tools/page/script/bundle.mjs.
#include "tools/page/page_html.hpp"

namespace equipoise {

std::string_view page_script() {
  return
${literals(script)};
}

std::string_view page_style() {
  return
${literals(style.code)};
}

}  // namespace equipoise
`,
);
