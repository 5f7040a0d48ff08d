/*
 * node scripts/lint-projects.mjs PROJECT… -- FILES…: types of projects of TypeScript, and lint rules of files, which use these types.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { PROJECTS } from './lint.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const words = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => ROOT, getNewLine: () => '\n' };

const configOf = (project) =>
  ts.getParsedCommandLineOfConfigFile(
    path.join(ROOT, project),
    { noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (fault) => { throw new Error(ts.formatDiagnostic(fault, words)); } },
  );

const programOf = ({ fileNames, options, errors }) =>
  ts.createProgram({
    ...{ rootNames: fileNames, options, configFileParsingDiagnostics: errors },
    // The lint rules follow them.
    host: ts.createCompilerHost(options, true),
  });

/** Faults of a program, but not of the files of other projects, which are checked there with their own options. */
const faultsOf = (program, others) => {
  const files = program.getSourceFiles().filter(({ fileName }) => !others.has(path.resolve(fileName)));
  const faults = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  return ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(faults), words);
};

const lintFaultsOf = async (programs, files) => {
  const eslint = new ESLint({
    cwd: ROOT,
    // The types are known by now: ESLint would find them anew.
    overrideConfig: { languageOptions: { parserOptions: { projectService: false, programs } } },
  });
  const results = (await eslint.lintFiles(files)).filter(({ errorCount, warningCount }) => errorCount + warningCount > 0);
  return (await eslint.loadFormatter('stylish')).format(results);
};

const say = (name, faults) => {
  console.log(faults.trim() === '' ? `${name}: good` : `${name}: faults\n${faults.trim()}`);
  if (faults.trim() !== '') process.exitCode = 1;
};

const given = process.argv.slice(2);
const chosen = given.slice(0, given.indexOf('--'));
const configs = new Map(Object.values(PROJECTS).map((project) => [project, configOf(project)]));
const programs = [];
for (const [name, project] of Object.entries(PROJECTS).filter(([, one]) => chosen.includes(one))) {
  const others = new Set([...configs].flatMap(([one, { fileNames }]) => (one === project ? [] : fileNames)));
  const program = programOf(configs.get(project));
  programs.push(program);
  say(`types of ${name}`, faultsOf(program, others));
}
const files = given.slice(given.indexOf('--') + 1);
say(`lint rules of ${files.join(', ')}`, await lintFaultsOf(programs, files));
