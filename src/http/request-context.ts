import type { Request } from 'express';
import type { Device } from '../catalog/model/entities.ts';
import { clientAddress } from '../context/client-address.ts';

/** Who is asking, as far as the service wants to know. */
export interface Asker {
  readonly ip: string | null;
  readonly country: string | null;
  readonly device: Device | null;
  readonly bot: boolean;
  readonly userAgent: string;
}

export type RequestContext = (req: Request, named?: { readonly ip?: string; readonly ua?: string }) => Asker;

export interface RequestContextOptions {
  readonly countryOf: (ip: string | null) => string | null;
  readonly deviceOf: (userAgent: string) => { readonly device: Device | null; readonly bot: boolean };
  readonly trustProxyHops: number | undefined;
}

/** Address, country and device of a request: what its body names comes before what its headers say. */
export const createRequestContext =
  ({ countryOf, deviceOf, trustProxyHops }: RequestContextOptions): RequestContext =>
  (req, named) => {
    const ip = clientAddress({
      deviceIp: named?.ip,
      forwardedFor: req.get('x-forwarded-for'),
      remoteAddress: req.socket.remoteAddress,
      trustProxyHops,
    });
    const userAgent = named?.ua ?? req.get('user-agent') ?? '';
    const { device, bot } = deviceOf(userAgent);
    return { ip, country: countryOf(ip), device, bot, userAgent };
  };
