import type { Request } from 'express';
import type { Device } from '../../catalog/model/choices.ts';
import { clientAddress } from '../../context/client-address.ts';
import type { Locate } from '../../context/country-lookup.ts';
import type { Visitor } from '../../context/device-detector.ts';
import type { TargetingContext } from '../../targeting/targeting-query.ts';

/** Address, location and device of a request: every value that a context rule reads of each of them. */
export interface Asker extends Required<TargetingContext> {
  readonly ip: string | null;
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly device: Device | null;
  readonly visitor: Visitor;
  readonly userAgent: string;
}

export type RequestContext = (req: Request, named?: { readonly ip?: string; readonly ua?: string }) => Asker;

export interface RequestContextOptions {
  readonly locate: Locate;
  readonly visitorOf: (userAgent: string) => Visitor;
  readonly trustProxyHops: number | undefined;
}

/** Reads the context of a request; values in its body take precedence over its headers. */
export const createRequestContext =
  ({ locate, visitorOf, trustProxyHops }: RequestContextOptions): RequestContext =>
  (req, named) => {
    const ip = clientAddress({
      deviceIp: named?.ip,
      forwardedFor: req.get('x-forwarded-for'),
      remoteAddress: req.socket.remoteAddress,
      trustProxyHops,
    });
    const userAgent = named?.ua ?? req.get('user-agent') ?? '';
    const visitor = visitorOf(userAgent);
    const { country, region, city } = locate(ip);
    return { ip, country, region, city, device: visitor.device, visitor, userAgent };
  };
