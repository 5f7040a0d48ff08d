/**
 * How far a server's clock is ahead of this process's clock, estimated from calls that read it.
 *
 * The server read its clock between sending and receiving, so each reading bounds the offset, and
 * the error is at most the round trip. The estimate moves only as far as a reading requires: short
 * round trips set it, long ones rarely contradict it, and a clock that is set is followed with the
 * next reading.
 */
export const createClockOffset = () => {
  let offsetMs = NaN;
  return {
    /** Milliseconds; NaN before the first reading. */
    get ms(): number {
      return offsetMs;
    },
    /**
     * Notes a reading of the server's clock and this process's clock before and after the call, all
     * in epoch milliseconds.
     */
    note: (serverMs: number, sentMs: number, receivedMs: number): void => {
      const [least, most] = [serverMs - receivedMs, serverMs - sentMs];
      // This process's clock was set back during the call.
      if (least > most) return;
      offsetMs = Number.isNaN(offsetMs) ? (least + most) / 2 : Math.min(Math.max(offsetMs, least), most);
    },
  };
};
