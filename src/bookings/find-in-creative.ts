import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import { parseCreativeContent } from '../catalog/checks/parse-content.ts';
import type { CreativeRecord } from '../catalog/entities/creative.ts';
import { creativeFindings } from '../creative/checks/creative-findings.ts';
import { readAdFacts } from '../creative/checks/read-ad-facts.ts';
import { fileFactsOf } from './file-facts.ts';

/** The fields of a creative that a platform would look at. */
export type LookedAt = Pick<CreativeRecord, 'format' | 'content' | 'click_url'>;

/** What a platform would object to in a creative that may be stored, each with its remedy. Rejects when Postgres is unavailable. */
export const findInCreative = async (knex: Knex, { format, content: text, click_url: clickUrl }: LookedAt): Promise<readonly Fault[]> => {
  const parsed = parseCreativeContent(format, text);
  if ('fault' in parsed) return [];
  const { content } = parsed;
  const markup = content.format === 'html' ? { bytes: Buffer.byteLength(content.markup), facts: readAdFacts([content.markup]) } : null;
  return creativeFindings({ content, clickUrl, files: await fileFactsOf(knex, text), markup });
};
