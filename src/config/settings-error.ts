/** A setting that cannot be used. Never contains the value of a secret. */
export interface SettingsFault {
  readonly name: string;
  /** What is wrong and what is accepted. */
  readonly fault: string;
}

/**
 * All faults of the environment together, so that five faults do not need five starts to be found.
 */
export class SettingsError extends Error {
  readonly faults: readonly SettingsFault[];

  constructor(faults: readonly SettingsFault[]) {
    const list = faults.map(({ name, fault }) => `  ${name}: ${fault}`).join('\n');
    super(`The environment has ${faults.length === 1 ? 'an invalid setting' : `${faults.length} invalid settings`}:\n${list}`);
    this.name = 'SettingsError';
    this.faults = faults;
  }
}
