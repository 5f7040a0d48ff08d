import { callCmp, type Platform } from './call-cmp.ts';
import type { ConsentSignals } from './contract.ts';

/** What the page, its consent platforms and the browser say at this moment. */
export interface Consent {
  /** Resolves when the platforms have answered, at most `waitMs` after the first call. */
  readonly ready: () => Promise<unknown>;
  /** The signals of the page (`setConsent`) replace those of the platforms one by one. */
  readonly set: (signals: ConsentSignals) => void;
  readonly signals: () => ConsentSignals;
  /**
   * Whether the SDK may use the browser's storage. false: refused, or not answered where the GDPR
   * applies, or a child. undefined: no signal; then the server's answer says so.
   */
  readonly mayStore: () => boolean | undefined;
}

interface TcData {
  readonly gdprApplies?: boolean;
  readonly tcString?: string;
  readonly eventStatus?: string;
  readonly purpose?: { readonly consents?: Readonly<Record<string, boolean>> };
  readonly publisher?: { readonly consents?: Readonly<Record<string, boolean>> };
}

interface GppEvent {
  readonly pingData?: { readonly signalStatus?: string; readonly gppString?: string; readonly applicableSections?: readonly number[] };
}

/** Purpose 1 of the TCF: store or access information on a device. The publisher's own segment wins over the core. */
const allowsStorage = ({ purpose, publisher }: TcData): boolean => {
  const own = publisher?.consents ?? {};
  return !!(Object.keys(own).length ? own : purpose?.consents)?.[1];
};

/** What a platform's answer says, and whether it is final. */
type Read = (value: unknown) => readonly [signals: ConsentSignals, isFinal: boolean];

const readTcf: Read = (value) => {
  const data = value as TcData;
  const { gdprApplies: gdpr } = data;
  if (gdpr === false) return [{ gdpr, storage: true }, true];
  return /^(tcloaded|useractioncomplete)$/.test(data.eventStatus ?? '')
    ? [{ gdpr: true, consent: data.tcString ?? '', storage: allowsStorage(data) }, true]
    : [{ ...(gdpr && { gdpr }) }, false];
};

const readGpp: Read = (value) => {
  const { signalStatus, gppString: gpp, applicableSections: gppSid } = (value as GppEvent).pingData ?? {};
  return signalStatus === 'ready' ? [{ ...(gpp && { gpp }), ...(gppSid && { gppSid }) }, true] : [{}, false];
};

const readUsp: Read = (value) => {
  const { uspString: usPrivacy } = value as { uspString?: string };
  return [{ ...(usPrivacy && { usPrivacy }) }, true];
};

export const createConsent = (waitMs: number): Consent => {
  let fromPage: ConsentSignals = {};
  let fromPlatforms: ConsentSignals = {};
  let waited: Promise<unknown> | undefined;

  /** Resolves with the first final answer of the platform, or immediately when there is none. */
  const listen = (name: Platform, command: string, version: number | undefined, read: Read): Promise<void> =>
    new Promise((resolve) => {
      const isThere = callCmp(name, command, version, (value) => {
        const [signals, isFinal] = read(value ?? {});
        fromPlatforms = { ...fromPlatforms, ...signals };
        if (isFinal) resolve();
      });
      if (!isThere) resolve();
      // Until it has answered, nothing is stored.
      else if (read === readTcf) fromPlatforms = { storage: false, ...fromPlatforms };
    });
  const wait = (): Promise<unknown> =>
    Promise.race([
      Promise.all([
        listen('__tcfapi', 'addEventListener', 2, readTcf),
        listen('__gpp', 'addEventListener', undefined, readGpp),
        listen('__uspapi', 'getUSPData', 1, readUsp),
      ]),
      new Promise((resolve) => setTimeout(resolve, waitMs)),
    ]);

  const signals = (): ConsentSignals => ({
    ...((navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl && { gpc: true }),
    ...fromPlatforms,
    ...fromPage,
  });
  return {
    ready: () => (waited ??= wait()),
    set: (given) => {
      fromPage = { ...fromPage, ...given };
    },
    signals,
    mayStore: () => {
      const { gdpr, storage, coppa } = signals();
      return coppa ? false : (storage ?? (gdpr ? false : undefined));
    },
  };
};

/** The OpenRTB 2.6 fields of an ad request. @param user what else it says of the user */
export const consentFields = (
  { gdpr, consent, gpp, gppSid, usPrivacy, gpc, coppa }: ConsentSignals,
  user: object,
): { readonly user: object; readonly regs: object } => ({
  user: { ...user, consent },
  regs: { gdpr: flag(gdpr), gpp, gpp_sid: gppSid, us_privacy: usPrivacy, coppa: flag(coppa), ext: { gpc: flag(gpc) } },
});

/** OpenRTB's 1 and 0; undefined leaves the field out. */
const flag = (value: boolean | undefined): number | undefined => (value === undefined ? value : Number(value));
