/** Silence: frames of MPEG 1 layer III, 128 kbit/s, 44.1 kHz, 26 ms each. */
export const mp3 = (frames: number): Buffer => {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x64]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
};

/** The first box of an MP4, and what follows. */
export const mp4With = (rest: Buffer): Buffer => Buffer.concat([Buffer.from('\0\0\0\x14ftypisom\0\0\x02\0isom', 'latin1'), rest]);
