/** One setting that cannot be used. Never holds the value of a secret. */
export interface SettingsFault {
  readonly name: string;
  /** What is wrong and what is accepted. */
  readonly fault: string;
}

/** Every fault of the environment at once, so that a start does not fail five times for five faults. */
export class SettingsError extends Error {
  readonly faults: readonly SettingsFault[];

  constructor(faults: readonly SettingsFault[]) {
    const list = faults.map(({ name, fault }) => `  ${name}: ${fault}`).join('\n');
    super(`The environment has ${faults.length === 1 ? 'a setting that' : `${faults.length} settings that`} cannot be used:\n${list}`);
    this.name = 'SettingsError';
    this.faults = faults;
  }
}
