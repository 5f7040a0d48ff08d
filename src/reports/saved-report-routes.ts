import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Knex } from 'knex';
import { unknownFields, type Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { readBidderUrl, type AddressPolicy } from '../bidders/calls/read-bidder-url.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import type { LogFields } from '../observability/log.ts';
import { actorOf } from '../api/admin-gate.ts';
import { recordChange, type ChangeAction } from '../bookings/audit-trail.ts';
import { answerStoreFaults } from '../api/store-faults.ts';
import { WEBHOOK_PURPOSE } from './deliver-reports.ts';
import { webhookSecretFor } from './webhook-secret.ts';
import { DEFAULT_LINK_DAYS, MAX_LINK_DAYS, type ReportLinks } from './report-links.ts';
import { readReportQuestion } from './report-question.ts';
import { askedOf, createAnswerReport } from './report-routes.ts';
import type { Reports } from './run-report.ts';
import { checkSavedReport } from './saved-report.ts';
import { MAX_SAVED_REPORTS, type SavedReportStore, type StoredReport } from './saved-report-store.ts';

export interface SavedReportRoutesOptions extends AddressPolicy {
  readonly knex: Knex;
  readonly store: SavedReportStore;
  readonly secretBox: SecretBox;
  readonly hasMail: boolean;
  readonly links: ReportLinks;
  /** Sends what is due without waiting for the next pass. */
  readonly sendNow: () => void;
  /** '': the URL of a link is relative. */
  readonly publicUrl: string;
}

/** Saved reports, their schedules, and read-only links for advertisers. */
export const savedReportRoutes = (options: SavedReportRoutesOptions): Router => {
  const { knex, store, secretBox, hasMail, sendNow } = options;
  const context = {
    hasMail,
    canSeal: secretBox.canSeal,
    webhookFault: (url: string) =>
      typeof readBidderUrl(url, options) === 'string' ? 'must be an https URL of a public address, without a password' : undefined,
  };
  const audit = (res: Response, action: ChangeAction, id: number, before: StoredReport | undefined, after: StoredReport | undefined) =>
    knex.transaction((trx) =>
      recordChange(trx, {
        ...{ actor: actorOf(res), action, entity: 'saved_report', entityId: id },
        ...{ before: before ? shownReport(before) : null, after: after ? shownReport(after) : null },
      }),
    );
  const readRecord = async (req: Request, res: Response) => {
    const body = await readJson(req);
    if (!body.ok) return void (body.problem && sendProblem(res, body.problem));
    const checked = checkSavedReport(body.value, context);
    if (checked.ok) return checked.record;
    return void sendProblem(res, problem('invalid_request', 'The saved report has faults.', checked.faults));
  };
  const findRecord = async (req: Request, res: Response): Promise<StoredReport | undefined> => {
    const id = String(req.params['id']);
    const found = /^[1-9]\d{0,8}$/.test(id) ? await store.find(Number(id)) : undefined;
    if (!found) sendProblem(res, problem('not_found', 'There is no saved report with this id.'));
    return found;
  };

  const router = Router();
  const all = router.route('/saved_reports');
  all.get(async (_req, res) => sendJson(res, 200, (await store.list()).map(shownReport)));
  all.post(async (req, res) => {
    const record = await readRecord(req, res);
    if (!record) return;
    if ((await store.list()).length >= MAX_SAVED_REPORTS)
      return sendProblem(res, problem('conflict', `There are ${MAX_SAVED_REPORTS} saved reports: delete one first.`));
    const secret = webhookSecretFor(secretBox, WEBHOOK_PURPOSE, record.schedule?.webhook ?? null);
    const created = await store.create(actorOf(res), record, secret.sealed);
    await audit(res, 'create', created.id, undefined, created);
    sendJson(res, 201, withSecret(created, secret.shown), { Location: `/api/saved_reports/${created.id}` });
  });
  all.all(methodNotAllowed('GET, HEAD, POST'));

  const one = router.route('/saved_reports/:id');
  one.get(async (req, res) => {
    const found = await findRecord(req, res);
    if (found) sendJson(res, 200, shownReport(found));
  });
  one.put(async (req, res) => {
    const before = await findRecord(req, res);
    const record = before && (await readRecord(req, res));
    if (!before || !record) return;
    const stored = { webhook: before.schedule?.webhook ?? null, webhookSecret: before.webhookSecret };
    const secret = webhookSecretFor(secretBox, WEBHOOK_PURPOSE, record.schedule?.webhook ?? null, stored);
    const after = await store.update(before.id, record, secret.sealed);
    if (!after) return sendProblem(res, problem('not_found', 'There is no saved report with this id.'));
    await audit(res, 'update', before.id, before, after);
    sendJson(res, 200, withSecret(after, secret.shown));
  });
  one.delete(async (req, res) => {
    const found = await findRecord(req, res);
    if (!found) return;
    await store.remove(found.id);
    await audit(res, 'delete', found.id, found, undefined);
    res.writeHead(204).end();
  });
  one.all(methodNotAllowed('GET, HEAD, PUT, DELETE'));

  const send = router.route('/saved_reports/:id/send');
  send.post(async (req, res) => {
    const found = await findRecord(req, res);
    if (!found) return;
    if (!(await store.makeDue(found.id)))
      return sendProblem(res, problem('conflict', 'The saved report has no schedule that says where to send it.'));
    sendNow();
    sendJson(res, 202, shownReport((await store.find(found.id)) ?? found));
  });
  send.all(methodNotAllowed('POST'));
  router.route('/report_links').post(linkRoute(options)).all(methodNotAllowed('POST'));
  return router;
};

/** A saved report as the API shows it: without the secret of its webhook. */
const shownReport = ({ webhookSecret: _, dueAt, lastAt, lastFault, attempts: __, delivered: ___, ...report }: StoredReport) => ({
  ...report,
  due_at: dueAt?.toISOString() ?? null,
  last_at: lastAt?.toISOString() ?? null,
  last_fault: lastFault,
});

/** The secret of a webhook is shown once, when it is made. */
const withSecret = (report: StoredReport, secret: string | null) => ({
  ...shownReport(report),
  ...(secret !== null && { webhook_secret: secret }),
});

/** POST /report_links `{advertiser_id, title, query, days?}`: 201 `{token, url, expires}`. */
const linkRoute =
  ({ knex, links, publicUrl }: SavedReportRoutesOptions): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    const given = isObject(body.value) ? body.value : {};
    const { advertiser_id: advertiserId, query, title = '', days = DEFAULT_LINK_DAYS } = given;
    const faults: Fault[] = [...unknownFields(given, ['advertiser_id', 'title', 'query', 'days'])];
    const check = (pointer: string, holds: boolean, detail: string): void => void (holds || faults.push({ pointer, detail }));
    check('/title', typeof title === 'string' && title.length <= 128, 'must be a text of at most 128 characters');
    check('/days', Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_LINK_DAYS, `must be 1 to ${MAX_LINK_DAYS}`);
    const isText = typeof query === 'string' && query.length <= 4096;
    const isId = Number.isInteger(advertiserId) && Number(advertiserId) > 0 && Number(advertiserId) < 2 ** 31;
    const advertiser = isId ? await knex('advertisers').where({ id: advertiserId }).first<{ name: string } | undefined>('name') : undefined;
    check('/advertiser_id', advertiser !== undefined, 'must be the id of an advertiser');
    const asked = isText && isId ? readReportQuestion(sharedSearch(query, Number(advertiserId)), 20_000) : undefined;
    if (!isText) check('/query', false, 'must be the parameters of GET /api/reports, at most 4,096 characters');
    else if (asked && !asked.ok) for (const { pointer, detail } of asked.faults) check('/query', false, `${pointer}: ${detail}`);
    if (faults.length > 0 || !advertiser || typeof query !== 'string')
      return sendProblem(res, problem('invalid_request', 'The link has faults.', faults));
    const shared = { advertiserId: Number(advertiserId), title: String(title) || advertiser.name, query };
    const { token, expiresAtMs } = links.issue(shared, Number(days));
    const expires = new Date(expiresAtMs).toISOString();
    const change = { actor: actorOf(res), action: 'share_report', entity: 'advertiser', entityId: shared.advertiserId } as const;
    await knex.transaction((trx) => recordChange(trx, { ...change, before: null, after: { ...shared, expires } }));
    sendJson(res, 201, { token, url: `${publicUrl}/static/report/#${token}`, expires });
  };

export interface SharedReportOptions {
  readonly links: ReportLinks;
  readonly reports: Reports;
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

/** The question of a link: its own parameters, and the figures of its advertiser alone. */
const sharedSearch = (query: string, advertiserId: number): URLSearchParams => {
  const search = new URLSearchParams(query);
  for (const name of ['format', 'limit', 'offset']) search.delete(name);
  search.set('filter[advertiser]', String(advertiserId));
  return search;
};

/**
 * GET /shared_report, for everyone who has a link: its report and no other, as JSON, CSV or Excel. The
 * token is sent as a bearer token, so that no log of addresses has it.
 */
export const sharedReportRoute = ({ links, reports, onFailure }: SharedReportOptions): RequestHandler => {
  const answer = createAnswerReport({ reports });
  const router = Router();
  router.use(async (req, res) => {
    if (req.method !== 'GET') return methodNotAllowed('GET')(req, res, () => undefined);
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const token = /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const shared = links.read(token);
    if (!shared) return sendProblem(res, problem('invalid_link', 'The link has expired or is not valid. Ask for a new one.'));
    const asked = await askedOf(reports, sharedSearch(shared.query, shared.advertiserId));
    if (!asked.ok)
      return sendProblem(res, problem('invalid_request', 'The report of this link cannot be answered any more.', asked.faults));
    res.setHeader('X-Report-Title', encodeURIComponent(shared.title));
    res.setHeader('X-Report-Expires', new Date(shared.expiresAtMs).toISOString());
    await answer(req, res, `link of advertiser ${shared.advertiserId}`, asked.value);
  });
  router.use(answerStoreFaults(onFailure));
  return router;
};
