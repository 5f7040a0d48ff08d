import type { Page } from '../page.ts';
import type { Answer } from '../api/wire.ts';
import type { ReportAnswer } from './report-table.ts';

const RETRY_MS = 1_000;
const MAX_RETRIES = 15;
const PAGE_SIZE = 200;

/**
 * Reads a report. A person may run one at a time, so it waits while another one runs, unless
 * `isWanted` says that a newer choice has replaced it.
 */
export const readReport = async (
  page: Page,
  query: URLSearchParams,
  isWanted: () => boolean,
  limit = PAGE_SIZE,
): Promise<Answer<ReportAnswer> | undefined> => {
  for (let tries = 0; ; tries++) {
    const answer = await page.api.get<ReportAnswer>(`/reports?${query.toString()}&limit=${limit}`);
    if (!isWanted()) return undefined;
    if (answer.ok || answer.problem.status !== 429 || tries >= MAX_RETRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
};
