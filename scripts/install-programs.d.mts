export interface Consent {
  say(line: string): void;
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  readonly isRoot: boolean;
}

export function installPrograms(wanted: readonly ('redis' | 'chromium' | 'curl' | 'fonts')[], consent: Consent): Promise<void>;
