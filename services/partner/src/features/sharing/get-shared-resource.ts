import type { sharing } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { findShared } from './shared.ts';

export const getSharedResource: Handler<typeof sharing.getSharedResource> = async ({ params, tx, inTenant }) =>
  (await findShared({ ...params, tx, inTenant })).resource;
