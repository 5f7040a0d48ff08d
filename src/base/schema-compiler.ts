import { Ajv2020, type Options } from 'ajv/dist/2020.js';

/**
 * A compiler of this project's own schemas. They are not checked against the schema of schemas, whose
 * compilation takes 40 ms of a start, once per compiler; ajv's strict mode still refuses an unknown
 * keyword and a value of the wrong type, and tests check the schemas.
 */
export const schemaCompiler = (options: Options = {}): Ajv2020 => new Ajv2020({ ...options, meta: false, validateSchema: false });
