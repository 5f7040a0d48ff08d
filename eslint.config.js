import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const TYPED = ['src/**/*.ts', 'tests/**/*.ts', 'sdk/**/*.ts', 'admin/**/*.ts', 'testkit/**/*.ts', 'proofs/**/*.ts', 'bench/**/*.ts'];

/** Lengths of days and hours have their names in src/base/utc-day.ts. A plain value of a property (an example, an initial value) is data. */
const LENGTHS_OF_TIME = [
  'Literal[value=86400000]',
  'Literal[value=3600000]',
  ':not(Property) > Literal[value=86400]',
  'BinaryExpression[operator=/^[*/%]$/] > Literal[raw=/^(60_?000|3_?600|1_?440)$/]',
  'BinaryExpression[operator="*"][left.value=60][right.value=60]',
  'BinaryExpression[operator="*"][left.value=24][right.value=60]',
  'BinaryExpression[operator="*"][left.value=60][right.value=1000]',
].map((selector) => ({ selector, message: 'Use MS_PER_DAY and its siblings (src/base/utc-day.ts).' }));
const DEFAULT_EXPORTS = { selector: 'ExportDefaultDeclaration', message: 'A file exports things by their names.' };

export default defineConfig(
  // The examples are written against the packed package, and type-checked with it (tests/sdk/built-files.test.ts).
  globalIgnores([
    '**/dist*/',
    'public/sdk/',
    'public/admin/',
    'public/docs/',
    'docs/.vitepress/cache/',
    'coverage/',
    '.cache/',
    'sdk/examples/',
  ]),
  {
    files: TYPED,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // The project has no classes: methods are closures and may be passed unbound.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/prefer-optional-chain': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // An interface may require a promise although the function does not wait.
      '@typescript-eslint/require-await': 'off',
      // Numbers are allowed in messages.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true, allowNullish: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['src/**/*.ts', 'sdk/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', DEFAULT_EXPORTS, ...LENGTHS_OF_TIME],
      'no-restricted-properties': ['error', { object: 'URL', property: 'canParse', message: 'Use parseUrl (src/base/parse-url.ts).' }],
    },
  },
  {
    files: ['admin/**/*.ts', 'testkit/**/*.ts', 'proofs/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...LENGTHS_OF_TIME] },
  },
  { files: ['src/base/utc-day.ts'], rules: { 'no-restricted-syntax': ['error', DEFAULT_EXPORTS] } },
  {
    files: ['tests/**/*.ts'],
    rules: {
      // Tests check HTTP answers with expect(), not with types.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-unreachable': 'error',
      'no-shadow': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        setImmediate: 'readonly',
        setInterval: 'readonly',
        clearTimeout: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
      },
    },
  },
  {
    files: ['public/**/*.js'],
    languageOptions: {
      globals: {
        window: 'readonly',
        document: 'readonly',
        navigator: 'readonly',
        location: 'readonly',
        localStorage: 'readonly',
        sessionStorage: 'readonly',
        FormData: 'readonly',
      },
    },
  },
);
