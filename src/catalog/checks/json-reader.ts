import { isObject } from '../../base/narrow.ts';
import { quoteFree } from '../../base/quote-free.ts';
import { isSafeUrl } from '../model/is-safe-url.ts';

export type Json = Readonly<Record<string, unknown>>;

const MAX_SECONDS = 3_600;
const MAX_SIDE_PIXELS = 20_000;

/** Reads values of JSON, and reports those that are not as they must be. What it returns for these is not used. */
export class JsonReader {
  readonly refuse: (pointer: string, detail: string) => void;
  constructor(refuse: (pointer: string, detail: string) => void) {
    this.refuse = refuse;
  }

  object(at: string, value: unknown): Json {
    if (isObject(value)) return value;
    this.refuse(at, 'must be a JSON object');
    return {};
  }

  known(at: string, object: Json, names: readonly string[]): void {
    const unknown = Object.keys(object).find((name) => !names.includes(name));
    if (unknown !== undefined) this.refuse(`${at}/${unknown.slice(0, 100)}`, `is not known; known are ${names.join(', ')}`);
  }

  list<T>(at: string, value: unknown, max: number, read: (at: string, value: unknown) => T): readonly T[] {
    if ((value ?? null) === null) return [];
    if (Array.isArray(value) && value.length <= max) return value.map((one, i) => read(`${at}/${i}`, one));
    this.refuse(at, `must be a list of up to ${max}`);
    return [];
  }

  address(at: string, value: unknown, kind: 'any' | 'absolute' = 'any'): string {
    if (typeof value === 'string' && isSafeUrl(value) && (kind === 'any' || !value.startsWith('/'))) return quoteFree(value);
    this.refuse(at, kind === 'any' ? 'must be an http, https or root-relative URL' : 'must be an http or https URL');
    return '';
  }

  addressOrNull(at: string, value: unknown, kind: 'any' | 'absolute' = 'any'): string | null {
    return (value ?? null) === null ? null : this.address(at, value, kind);
  }

  text(at: string, value: unknown, max: number): string {
    const text = this.textOrNull(at, value, max);
    if (text === null) this.refuse(at, 'is required');
    return text ?? '';
  }

  textOrNull(at: string, value: unknown, max: number): string | null {
    if ((value ?? null) === null) return null;
    if (typeof value === 'string' && value.trim() !== '' && value.length <= max) return value;
    this.refuse(at, `must be text of 1 to ${max} characters`);
    return null;
  }

  pixels(at: string, value: unknown): number {
    if (Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_SIDE_PIXELS) return value as number;
    this.refuse(at, 'must be a whole number of pixels');
    return 0;
  }

  countOrNull(at: string, value: unknown): number | null {
    if ((value ?? null) === null) return null;
    if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
    this.refuse(at, 'must be a whole number above 0');
    return null;
  }

  /** Seconds, in milliseconds. */
  secondsOrNull(at: string, value: unknown, min = 0.001): number | null {
    if ((value ?? null) === null) return null;
    if (typeof value === 'number' && value >= min && value <= MAX_SECONDS) return Math.round(value * 1000);
    this.refuse(at, `must be seconds, up to ${MAX_SECONDS}`);
    return null;
  }

  place(at: string, value: unknown, sides: readonly string[]): string {
    if (sides.includes(value as string) || (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_SIDE_PIXELS))
      return String(value);
    this.refuse(at, `must be ${sides.join(', ')} or pixels`);
    return '0';
  }
}
