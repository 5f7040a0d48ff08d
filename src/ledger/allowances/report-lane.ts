import type { LotReport } from './report-lots.ts';

/** The reports of one call. */
export interface NumberedReports {
  /** Grows from call to call: Redis does not carry out the same number twice. */
  readonly number: number;
  readonly reports: readonly LotReport[];
}

/** What became of reports. */
export interface ReportsDone {
  /** Ads that were taken back. */
  readonly returned: number;
  /** Ads that were not: their hold has ended, or the script has failed and they stay held until it does. */
  readonly stranded: number;
  /** Their accounts are not rebuilt, so nothing was taken back. They are to be reported again. */
  readonly closed: readonly LotReport[];
}

/** A report takes as long as a candidate. */
const MAX_REPORTS_PER_CALL = 128;

/**
 * The reports of a replica to one scope of Redis, in their order and each carried out once.
 * Sends one call at a time, so that Redis has to remember only the last one of a replica.
 *
 * @param call resolves to the answer of report-lots.lua; undefined: there is none, and the call is repeated
 */
export const createReportLane = (call: (reports: NumberedReports) => Promise<readonly number[] | undefined>) => {
  const waiting: LotReport[] = [];
  let sent: NumberedReports | undefined;
  let number = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const sendAll = async (): Promise<ReportsDone> => {
    const answered: [LotReport, number][] = [];
    while (sent || waiting.length > 0) {
      sent ??= { number: ++number, reports: waiting.splice(0, MAX_REPORTS_PER_CALL) };
      const answer = await call(sent);
      if (!answer) break;
      answered.push(...sent.reports.map((report, i): [LotReport, number] => [report, answer[i]!]));
      sent = undefined;
    }
    return doneOf(answered);
  };

  return {
    /** Sends what was not answered until now, and then these. Resolves to what became of all that were answered now. */
    send: (reports: readonly LotReport[]): Promise<ReportsDone> => {
      waiting.push(...reports);
      const done = turn.then(sendAll);
      turn = done.catch(() => undefined);
      return done;
    },
    /** Those that were not answered: they may have been carried out. */
    get pending(): readonly LotReport[] {
      return [...(sent?.reports ?? []), ...waiting];
    },
  };
};

const doneOf = (answered: readonly (readonly [LotReport, number])[]): ReportsDone => {
  const taken = answered.filter(([, returned]) => returned >= 0);
  const returned = taken.reduce((sum, [, ads]) => sum + ads, 0);
  return {
    returned,
    stranded: taken.reduce((sum, [report]) => sum + report.returned, 0) - returned,
    closed: answered.filter(([, ads]) => ads < 0).map(([report]) => report),
  };
};

/** Of several lanes. */
export const addDone = (all: readonly ReportsDone[]): ReportsDone => ({
  returned: all.reduce((sum, { returned }) => sum + returned, 0),
  stranded: all.reduce((sum, { stranded }) => sum + stranded, 0),
  closed: all.flatMap(({ closed }) => closed),
});
