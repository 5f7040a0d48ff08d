import { readFile } from 'node:fs/promises';
import { parseDimensionSchema, type DimensionSchema } from '../targeting/dimension-schema.ts';

/**
 * Reads DIMENSIONS_FILE. Rejects with the file's name and every fault in it, so that a replica does
 * not start without its rules.
 */
export const readDimensionSchema = async (path: string): Promise<DimensionSchema> => {
  const parsed = parseDimensionSchema(parseJson(path, await readFile(path, 'utf8')));
  if (parsed.ok) return parsed.schema;
  const faults = parsed.faults.map(({ pointer, detail }) => `${pointer || '(document)'} ${detail}`);
  throw new Error(`the dimension schema ${path} is invalid: ${faults.join('; ')}`);
};

const parseJson = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`the dimension schema ${path} is not JSON`, { cause });
  }
};
