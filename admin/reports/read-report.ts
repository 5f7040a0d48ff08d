import type { ReportAnswer } from '../../src/reports/report-api.ts';
import type { Page } from '../page.ts';
import type { Answer } from '../api/wire.ts';
import type { TRAFFICKING_API } from '../../src/trafficking/trafficking-api.ts';
import type { Sent } from '../api/api.ts';

const RETRY_MS = 1_000;
const MAX_RETRIES = 15;
const PAGE_SIZE = 200;

/**
 * Reads a report. A person may run one at a time, so it waits while another one runs, unless
 * `isWanted` says that a newer choice has replaced it.
 */
export const readReport = async (
  page: Page,
  parameters: Sent<(typeof TRAFFICKING_API)['getReport']>,
  isWanted: () => boolean,
  limit = PAGE_SIZE,
): Promise<Answer<ReportAnswer> | undefined> => {
  for (let tries = 0; ; tries++) {
    const answer = await page.api.get('/reports', { ...parameters, limit });
    if (!isWanted()) return undefined;
    if (answer.ok || answer.problem.status !== 429 || tries >= MAX_RETRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
};
