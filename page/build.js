// Bundles src/ and its libraries into mining/html/page.js, with their licences in front. The hash of
// src/ in its first line is compared by the tests, so that no change is left out of the bundle.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const libraries = ["sigma", "@sigma/edge-curve", "graphology", "graphology-utils", "events"];
const folder = new URL("node_modules/", import.meta.url);

function licenceOf(name) {
  const { version, license } = JSON.parse(readFileSync(new URL(`${name}/package.json`, folder)));
  const files = ["LICENSE.txt", "LICENSE"];
  for (const file of files) {
    try {
      const text = readFileSync(new URL(`${name}/${file}`, folder), "utf-8");
      return `${name} ${version}, ${license}\n\n${text.trim()}`;
    } catch {
      // the next name of the file
    }
  }
  return `${name} ${version}, ${license}`;
}

const { outputFiles } = await build({
  entryPoints: ["src/main.js"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  charset: "ascii",
  legalComments: "none",
  write: false,
});
const licences = libraries.map(licenceOf).join("\n\n---\n\n");
const code = outputFiles[0].text.trim();
// neither would be safe within a page
if (/<\/script|<!--/i.test(code + licences)) throw new Error("the bundle holds the end of a script");
const sources = createHash("sha256");
for (const file of readdirSync("src").sort()) sources.update(readFileSync(`src/${file}`));
const text = `/* Bundled from page/, src/ ${sources.digest("hex")}, with these libraries:\n\n${licences}\n*/\n${code}\n`;
writeFileSync(new URL("../mining/html/page.js", import.meta.url), text);
console.log(`mining/html/page.js: ${Math.round(text.length / 1024)} KiB`);
