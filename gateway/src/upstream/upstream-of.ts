import { isOfJob, jobOf } from '@tandem/contract';
import { GatewayError } from '../http/gateway-error.ts';
import type { GatewayParts } from '../parts.ts';
import type { Route } from '../routes.ts';
import type { Upstream } from './upstream.ts';

/**
 * The service that a request goes to: every service has jobs below the same paths, so the number in the path decides about
 * these.
 * @param path the path with internal ids
 * @throws GatewayError 404 if the number of a job belongs to no service
 */
export function upstreamOf({ row, service }: Route, path: string, { upstreams }: GatewayParts): Upstream {
  return upstreams.get(isOfJob(row) ? serviceOfJob(path) : service) as Upstream;
}

function serviceOfJob(path: string): string {
  const [, , , number] = path.split('/');
  const place = jobOf(Number(number));
  if (!place) throw new GatewayError('not_found');
  return place.service;
}
