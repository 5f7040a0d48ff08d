import { answer, refuse, type Handlers } from '../api/route.ts';
import { answerReport, askedOf, CANNOT_ANSWER } from './answer-report.ts';
import type { REPORT_API, ReportFields } from './report-api.ts';
import { DIMENSION_NAMES, dimensionOf } from './report-dimensions.ts';
import { METRIC_NAMES } from './report-fields.ts';
import { describeMetric, DIMENSION_SETS, RANGE_NAMES, RANGES } from './report-question.ts';
import type { Reports } from './run-report.ts';

/** Reports, and what they may be asked for. */
export const reportRoutes = ({ reports }: { readonly reports: Reports }): Handlers<typeof REPORT_API> => ({
  getReport: async ({ format, limit, offset }, { actor: person, url, search, caller }) => {
    const asked = await askedOf(reports, search, caller);
    if (!asked.ok) return refuse('invalid_request', CANNOT_ANSWER, asked.faults);
    return answerReport(reports, asked.value, { person, url, format, limit, offset, namesPayers: caller.advertisers === null });
  },
  getReportFields: () => answer(REPORT_FIELDS),
});

const REPORT_FIELDS: ReportFields = {
  dimensions: DIMENSION_NAMES.map((name) => {
    const { label, kind, past, table, accepts } = dimensionOf(name);
    return { name, label, kind, past, table: table ?? null, filter: accepts !== undefined };
  }),
  metrics: METRIC_NAMES.map(describeMetric),
  sets: DIMENSION_SETS,
  ranges: RANGE_NAMES.map((name) => ({ name, label: RANGES[name].label })),
};
