/*
 * node scripts/lint-half.mjs HALF: the types of a half of the code (lint.mjs), and lint rules, which use the types that are known by then. ESLint alone
 * would read and check everything anew.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { HALVES, PROJECTS } from './lint.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FORMAT = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => ROOT, getNewLine: () => '\n' };

function configOf(project) {
  const onUnRecoverableConfigFileDiagnostic = (fault) => {
    throw new Error(ts.formatDiagnostic(fault, FORMAT));
  };
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic };
  return ts.getParsedCommandLineOfConfigFile(path.join(ROOT, PROJECTS[project]), { noEmit: true }, host);
}

function programOf({ fileNames, options, errors }) {
  // Lint rules go from a node to its parent.
  const host = ts.createCompilerHost(options, true);
  return ts.createProgram({ rootNames: fileNames, options, host, configFileParsingDiagnostics: errors });
}

/** Faults of types in a project, but not in the files of others, which are checked with their own options there. */
function typeFaultsOf(program, ofOthers) {
  const files = program.getSourceFiles().filter(({ fileName }) => !ofOthers.has(fileName));
  const faults = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  return ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(faults), FORMAT);
}

async function lintFaultsOf(programs, folders) {
  const others = HALVES.flatMap((half) => half.folders ?? []);
  const eslint = new ESLint({
    cwd: ROOT,
    ...(folders === undefined && { ignorePatterns: others.map((folder) => `${folder}/`) }),
    overrideConfig: { languageOptions: { parserOptions: { projectService: false, programs } } },
  });
  const results = await eslint.lintFiles(folders ?? ['.']);
  const faulty = results.filter(({ errorCount, warningCount }) => errorCount + warningCount > 0);
  return (await eslint.loadFormatter('stylish')).format(faulty);
}

function say(what, faults) {
  const text = faults.trim();
  console.log(text === '' ? `${what}: good` : `${what}: faults\n${text}`);
  if (text !== '') process.exitCode = 1;
}

const { name, projects, folders } = HALVES.find((half) => half.name === process.argv[2]);
const configs = new Map(Object.keys(PROJECTS).map((project) => [project, configOf(project)]));
const programs = projects.map((project) => {
  const program = programOf(configs.get(project));
  const ofOthers = new Set([...configs].flatMap(([other, { fileNames }]) => (other === project ? [] : fileNames)));
  say(`types of ${project}`, typeFaultsOf(program, ofOthers));
  return program;
});
say(`lint rules of ${name}`, await lintFaultsOf(programs, folders));
