import type { RequestHandler } from 'express';
import { createAdcpDoor } from '../agents/adcp/adcp-door.ts';
import type { Seller } from '../agents/adcp/seller.ts';
import { createCallApi } from '../agents/call-api.ts';
import { createStaffDoor } from '../agents/staff-door.ts';
import { createApprovalMails } from '../approvals/approval-mails.ts';
import { createApprovalStore } from '../approvals/approval-store.ts';
import { createSecretBox } from '../base/secret-box.ts';
import { dateOfDay, MS_PER_DAY } from '../base/utc-day.ts';
import type { CatalogWriter } from '../bookings/catalog-writer.ts';
import { createRecordReach } from '../bookings/record-scope.ts';
import { createBookMediaBuy } from '../buys/book-media-buy.ts';
import { createRequestMediaBuy } from '../buys/request-media-buy.ts';
import type { Forecasts } from '../forecast/forecasts.ts';
import type { ErrorHandlerParts } from '../http/problems/error-handler.ts';
import type { People } from '../people/create-people.ts';
import { composeCallCount, composeStaffMail, toolUrlOf } from './compose-people.ts';
import type { Foundation } from './lay-foundation.ts';

/** The tools of staff; undefined: they are turned off. */
export const composeStaffTools = (
  foundation: Foundation,
  { gate }: Pick<People, 'gate'>,
  api: RequestHandler,
  errors: ErrorHandlerParts,
): RequestHandler | undefined => {
  const { mcp, agentCallsPerMinute, tokenSecrets } = foundation.settings;
  if (!mcp) return undefined;
  return createStaffDoor({
    ...{ gate, version: foundation.version, now: Date.now, maxCallsPerMinute: agentCallsPerMinute },
    callApi: createCallApi({ api, errors }),
    countCall: composeCallCount(foundation),
    // Confirmations live for minutes: the keys of tracking tokens seal them, which every replica has.
    box: createSecretBox(tokenSecrets),
  });
};

export interface BuyerToolsParts extends Pick<People, 'gate'> {
  readonly forecasts: Forecasts;
  readonly writer: CatalogWriter;
}

/** What the tools of buyers and the webhooks of their tasks work with. */
export const composeSeller = (foundation: Foundation, { forecasts, writer }: Omit<BuyerToolsParts, 'gate'>): Seller => {
  const { stores, settings } = foundation;
  const { knex } = stores;
  const now = Date.now;
  const reach = createRecordReach({ knex });
  const approvals = createApprovalStore({ knex });
  const staffMail = composeStaffMail(foundation);
  const mails = staffMail && createApprovalMails(knex, staffMail);
  return {
    ...{ knex, writer, approvals, now, isSandbox: settings.adcp === 'sandbox', allowPrivateAddresses: settings.bidderPrivateAddresses },
    requestMediaBuy: createRequestMediaBuy({
      knex,
      writer,
      reach,
      approvals,
      mails,
      now,
      bookMediaBuy: createBookMediaBuy({ reach, now }),
    }),
    secretBox: createSecretBox(settings.sealKeys),
    agentUrl: `${toolUrlOf(settings)}/adcp`,
    refreshForecast: (publisherId) => forecasts.refreshBase(publisherId, dateOfDay(Math.floor(now() / MS_PER_DAY)), now()),
  };
};

/** The tools of buyers' agents; undefined: they are turned off. */
export const composeBuyerTools = (
  foundation: Foundation,
  { gate, ...parts }: BuyerToolsParts,
  api: RequestHandler,
  errors: ErrorHandlerParts,
): RequestHandler | undefined => {
  const { adcp, agentCallsPerMinute } = foundation.settings;
  if (adcp === 'off') return undefined;
  return createAdcpDoor({
    ...{ gate, version: foundation.version, maxCallsPerMinute: agentCallsPerMinute, seller: composeSeller(foundation, parts) },
    callApi: createCallApi({ api, errors }),
    countCall: composeCallCount(foundation),
  });
};
