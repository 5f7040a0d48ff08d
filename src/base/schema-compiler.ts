import { Ajv2020, _, str, type CodeKeywordDefinition, type Options } from 'ajv/dist/2020.js';

/**
 * A compiler of this project's own schemas. They are not checked against the schema of schemas, whose
 * compilation takes 40 ms of a start, once per compiler; ajv's strict mode still refuses an unknown
 * keyword and a value of the wrong type, and tests check the schemas. Nor is the code optimized, which
 * takes a third of the time; a check that every ad request passes sets `code`.
 */
export const schemaCompiler = (options: Options = {}): Ajv2020 => {
  const ajv = new Ajv2020({ code: { optimize: false }, ...options, meta: false, validateSchema: false });
  for (const keyword of LENGTHS) ajv.removeKeyword(keyword);
  return ajv.addKeyword(LENGTH_LIMITS);
};

const LENGTHS = ['maxLength', 'minLength'];

/** As ajv's own, but the characters of a text are counted only where its code units, of which a character has one or two, do not decide. */
const LENGTH_LIMITS: CodeKeywordDefinition = {
  keyword: LENGTHS,
  type: 'string',
  schemaType: 'number',
  before: 'pattern',
  error: {
    message: ({ keyword, schemaCode }) => str`must NOT have ${keyword === 'maxLength' ? 'more' : 'fewer'} than ${schemaCode} characters`,
    params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
  },
  code: (cxt) => {
    const { gen, keyword, data, schemaCode } = cxt;
    const count = _`${gen.scopeValue('func', { ref: characters })}(${data})`;
    cxt.fail(
      keyword === 'maxLength'
        ? _`${data}.length > ${schemaCode} && ${count} > ${schemaCode}`
        : _`${data}.length < 2 * ${schemaCode} && ${count} < ${schemaCode}`,
    );
  },
};

/** As Unicode counts them, and JSON Schema with it (Validation, 6.3.1). */
const characters = (text: string): number => {
  let count = 0;
  for (const _character of text) count++;
  return count;
};
