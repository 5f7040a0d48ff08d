const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/**
 * Closes something after the last test of the file, also when a test has failed: an open server, child process or
 * client would keep jest from exiting. The last one to be opened is closed first. Closing twice must be harmless.
 */
export const atEnd = (close: () => unknown): void => void closers.push(close);
