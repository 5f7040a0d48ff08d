import Bowser from 'bowser';
import { copyText } from '../base/copy-text.ts';
import { remembered } from '../base/recent-map.ts';
import { BROWSERS, DEVICES, type Browser, type Device, type OperatingSystem } from '../catalog/model/choices.ts';
import { isListedSpider } from './listed-spider.ts';
import { OS_BRANDS } from './program-names.ts';

/** What a User-Agent says of its sender. */
export interface Visitor {
  /**
   * null: a television, a console, a headset or unknown. Matches only line items without a device
   * rule.
   */
  readonly device: Device | null;
  /** It names a listed spider. */
  readonly spider: boolean;
  /** It is empty, or does not begin with a product (RFC 9110, section 10.1.5). */
  readonly malformed: boolean;
  /** One of BROWSERS, for other programs null. */
  readonly browser: Browser | null;
  /** null: another one, or unknown. Read when it is first asked for: few line items target it. */
  readonly os: OperatingSystem | null;
  /**
   * What may be kept of it: the names of a person's programs, without versions, system and device; of a
   * spider all of it. The rules judge it as they judge the whole; null: they would not.
   */
  readonly agent: string | null;
}

export type DeviceDetector = (userAgent: string) => Visitor;

/**
 * Longer user agents are cut: the device is named near the beginning, and the patterns' time grows
 * with the length.
 */
const MAX_USER_AGENT_LENGTH = 512;
const MAX_AGENT_LENGTH = 160;

const NO_VISITOR: Visitor = { device: null, spider: false, malformed: true, browser: null, os: null, agent: '' };

/**
 * Detects device, browser and spider from the User-Agent, with a bounded cache. Never throws: an
 * empty User-Agent gives no device and no spider (bowser throws on it, and isbot does not call it a
 * bot).
 *
 * Measured on one core of a shared machine: 20 µs for a new user agent, 0.02 µs from the cache.
 */
export const createDeviceDetector = ({ cacheSize }: { readonly cacheSize: number }): DeviceDetector => {
  const visitorOf = remembered(cacheSize, look);
  return (given) => {
    if (given === '') return NO_VISITOR;
    return visitorOf(given.length > MAX_USER_AGENT_LENGTH ? copyText(given.slice(0, MAX_USER_AGENT_LENGTH)) : given);
  };
};

const look = (userAgent: string): Visitor => {
  const parser = Bowser.getParser(userAgent, true);
  const platform = parser.getPlatformType(true);
  const name = parser.getBrowserName();
  const spider = isListedSpider(userAgent);
  const malformed = !PRODUCT.test(userAgent);
  const names = spider ? userAgent : programsIn(userAgent);
  let os: OperatingSystem | null | undefined = spider ? null : undefined;
  return {
    device: DEVICES.find((device) => device === platform) ?? null,
    spider,
    malformed,
    browser: spider ? null : (BROWSERS.find((browser) => browser === name) ?? null),
    get os() {
      if (os === undefined) os = OS_BRANDS.get(Bowser.getParser(userAgent, true).getOSName(true)) ?? null;
      return os;
    },
    agent: isListedSpider(names) === spider && !PRODUCT.test(names) === malformed ? names : null,
  };
};

/** A token that contains a letter, then a version, a space, a comment or the end. */
const PRODUCT = /^(?=[^\s/(]*[A-Za-z])[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[/\s(]|$)/;

const COMMENT = /\([^)]*\)?/g;
/** Names with a version in a comment: a comment also names the system and the device. */
const VERSIONED = /(?<![\w.-])[A-Za-z][\w.-]*\//g;
const NAMES = /(?<![\w.-])[A-Za-z][\w.-]*(?:\/|(?=\s|$))/g;

const programsIn = (userAgent: string): string => {
  const text = userAgent.replace(COMMENT, (comment) => ` ${(comment.match(VERSIONED) ?? []).join(' ')} `);
  return copyText([...new Set(text.match(NAMES) ?? [])].join(' ').slice(0, MAX_AGENT_LENGTH));
};
