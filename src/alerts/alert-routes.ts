import { Router, type Request, type Response } from 'express';
import type { Knex } from 'knex';
import { unknownFields, type Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { readBidderUrl, type AddressPolicy } from '../bidders/calls/read-bidder-url.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import { actorOf } from '../api/admin-gate.ts';
import { recordChange, type ChangeAction } from '../bookings/audit-trail.ts';
import { searchOf } from '../bookings/list-query.ts';
import { ALERT_KIND_NAMES, isAlertKind } from '../catalog/model/alert-kinds.ts';
import type { AlertMute, AlertStore } from './alert-store.ts';
import { checkRecipient } from './check-recipient.ts';
import { MAX_RECIPIENTS, type RecipientStore, type StoredRecipient } from './recipient-store.ts';
import { webhookSecretFor } from '../reports/webhook-secret.ts';
import { ALERT_WEBHOOK_PURPOSE } from './send-alerts.ts';

export interface AlertRoutesOptions extends AddressPolicy {
  readonly knex: Knex;
  readonly alerts: AlertStore;
  readonly recipients: RecipientStore;
  readonly secretBox: SecretBox;
  readonly hasMail: boolean;
}

export const MAX_MUTE_DAYS = 365;

/** Alerts, what a person has muted, and to whom they are sent. */
export const alertRoutes = (options: AlertRoutesOptions): Router => {
  const { alerts } = options;
  const router = Router();
  router
    .route('/alerts')
    .get(async (_req, res) => sendJson(res, 200, (await alerts.list(actorOf(res))).map(shownAlert)))
    .all(methodNotAllowed('GET, HEAD'));
  const mutes = router.route('/alert_mutes');
  const sendMutes = async (res: Response): Promise<void> => sendJson(res, 200, (await alerts.mutes(actorOf(res))).map(shownMute));
  mutes.get((_req, res) => sendMutes(res));
  mutes.put(async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    const asked = readMute(body.value);
    if (!asked.ok) return sendProblem(res, problem('invalid_request', 'The alerts cannot be muted.', asked.faults));
    await alerts.mute(actorOf(res), asked.mute);
    await sendMutes(res);
  });
  mutes.delete(async (req, res) => {
    const search = searchOf(req);
    const kind = search.get('kind');
    if (!isAlertKind(kind)) return sendProblem(res, problem('invalid_request', 'The alerts cannot be unmuted.', [KIND_FAULT]));
    await alerts.unmute(actorOf(res), kind, search.get('entity_id') ?? '');
    await sendMutes(res);
  });
  mutes.all(methodNotAllowed('GET, HEAD, PUT, DELETE'));
  router.use(recipientRoutes(options));
  return router;
};

const KIND_FAULT: Fault = { pointer: '/kind', detail: `must be one of: ${ALERT_KIND_NAMES.join(', ')}` };

const shownAlert = ({ entityId, publisherId, openedAt, closedAt, isMuted, ...alert }: Awaited<ReturnType<AlertStore['list']>>[number]) => ({
  ...alert,
  ...{ entity_id: entityId, publisher_id: publisherId, opened_at: openedAt.toISOString(), closed_at: closedAt?.toISOString() ?? null },
  muted: isMuted,
});
/** An alert, as the API answers it. */
export type AlertWire = ReturnType<typeof shownAlert>;

const shownMute = ({ kind, entityId, until }: AlertMute) => ({ kind, entity_id: entityId, until: until?.toISOString() ?? null });
export type MuteWire = ReturnType<typeof shownMute>;

type AskedMute = { readonly ok: true; readonly mute: AlertMute } | { readonly ok: false; readonly faults: readonly Fault[] };

/** `{kind, entity_id?, days?}`: without entity_id all of the kind, without days until it is taken back. */
const readMute = (input: unknown): AskedMute => {
  const given = isObject(input) ? input : {};
  const { kind, entity_id: entityId = '', days = null } = given;
  const faults = [...unknownFields(given, ['kind', 'entity_id', 'days'])];
  if (typeof entityId !== 'string' || entityId.length > 64 || entityId.includes('\0'))
    faults.push({ pointer: '/entity_id', detail: 'must be the entity_id of an alert' });
  if (days !== null && !(Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_MUTE_DAYS))
    faults.push({ pointer: '/days', detail: `must be 1 to ${MAX_MUTE_DAYS}, or null` });
  if (!isAlertKind(kind) || faults.length > 0) return { ok: false, faults: isAlertKind(kind) ? faults : [KIND_FAULT, ...faults] };
  const until = days === null ? null : new Date(Date.now() + Number(days) * MS_PER_DAY);
  return { ok: true, mute: { kind, entityId: String(entityId), until } };
};

const recipientRoutes = (options: AlertRoutesOptions): Router => {
  const { knex, recipients, secretBox, hasMail } = options;
  const context = {
    hasMail,
    canSeal: secretBox.canSeal,
    webhookFault: (url: string) =>
      typeof readBidderUrl(url, options) === 'string' ? 'must be an https URL of a public address, without a password' : undefined,
  };
  const audit = (
    res: Response,
    action: ChangeAction,
    id: number,
    before: StoredRecipient | undefined,
    after: StoredRecipient | undefined,
  ) =>
    knex.transaction((trx) =>
      recordChange(trx, {
        ...{ actor: actorOf(res), action, entity: 'alert_recipient', entityId: id },
        ...{ before: before ? shownRecipient(before) : null, after: after ? shownRecipient(after) : null },
      }),
    );
  const readRecord = async (req: Request, res: Response) => {
    const body = await readJson(req);
    if (!body.ok) return void (body.problem && sendProblem(res, body.problem));
    const checked = checkRecipient(body.value, context);
    if (checked.ok) return checked.record;
    return void sendProblem(res, problem('invalid_request', 'The recipient has faults.', checked.faults));
  };
  const findRecord = async (req: Request, res: Response): Promise<StoredRecipient | undefined> => {
    const id = String(req.params['id']);
    const found = /^[1-9]\d{0,8}$/.test(id) ? await recipients.find(Number(id)) : undefined;
    if (!found) sendProblem(res, problem('not_found', 'There is no recipient of alerts with this id.'));
    return found;
  };

  const router = Router();
  const all = router.route('/alert_recipients');
  all.get(async (_req, res) => sendJson(res, 200, (await recipients.list()).map(shownRecipient)));
  all.post(async (req, res) => {
    const record = await readRecord(req, res);
    if (!record) return;
    if ((await recipients.list()).length >= MAX_RECIPIENTS)
      return sendProblem(res, problem('conflict', `There are ${MAX_RECIPIENTS} recipients of alerts: delete one first.`));
    const secret = webhookSecretFor(secretBox, ALERT_WEBHOOK_PURPOSE, record.webhook);
    const created = await recipients.create(actorOf(res), record, secret.sealed);
    await audit(res, 'create', created.id, undefined, created);
    sendJson(res, 201, withSecret(created, secret.shown), { Location: `/api/alert_recipients/${created.id}` });
  });
  all.all(methodNotAllowed('GET, HEAD, POST'));

  const one = router.route('/alert_recipients/:id');
  one.put(async (req, res) => {
    const before = await findRecord(req, res);
    const record = before && (await readRecord(req, res));
    if (!before || !record) return;
    const secret = webhookSecretFor(secretBox, ALERT_WEBHOOK_PURPOSE, record.webhook, before);
    const after = await recipients.update(before.id, record, secret.sealed);
    if (!after) return sendProblem(res, problem('not_found', 'There is no recipient of alerts with this id.'));
    await audit(res, 'update', before.id, before, after);
    sendJson(res, 200, withSecret(after, secret.shown));
  });
  one.delete(async (req, res) => {
    const found = await findRecord(req, res);
    if (!found) return;
    await recipients.remove(found.id);
    await audit(res, 'delete', found.id, found, undefined);
    res.writeHead(204).end();
  });
  one.all(methodNotAllowed('PUT, DELETE'));
  return router;
};

/** A recipient as the API shows it: without the secret of its webhook. */
const shownRecipient = ({ webhookSecret: _, attempts: __, lastAt, lastFault, ...recipient }: StoredRecipient) => ({
  ...recipient,
  ...{ last_at: lastAt?.toISOString() ?? null, last_fault: lastFault },
});
export type RecipientWire = ReturnType<typeof shownRecipient> & { readonly webhook_secret?: string };

/** The secret of a webhook is shown once, when it is made. */
const withSecret = (recipient: StoredRecipient, secret: string | null): RecipientWire => ({
  ...shownRecipient(recipient),
  ...(secret !== null && { webhook_secret: secret }),
});
