import type { Request } from 'express';
import { clientAddress } from '../../context/client-address.ts';

/**
 * The address that a request comes from, for what a client could gain by another one; null when its
 * connection has ended. Clients write `device.ip` and X-Forwarded-For themselves: the first never
 * counts, the second only behind a known number of proxies.
 */
export type CallerAddress = (req: Request) => string | null;

export const createCallerAddress =
  (trustProxyHops: number | undefined): CallerAddress =>
  (req) =>
    clientAddress({
      deviceIp: undefined,
      forwardedFor: req.get('x-forwarded-for'),
      remoteAddress: req.socket.remoteAddress,
      trustProxyHops: trustProxyHops ?? 0,
    });
