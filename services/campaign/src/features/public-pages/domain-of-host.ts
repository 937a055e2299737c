import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { findVerified } from '../page-domains/find-verified.ts';
import type { PublicTools } from './published-page.ts';
import { localeOf } from './show-page.ts';
import type { Scope } from './visitor.ts';

/** The domain that a request names as its host, with its tenant and language. */
export interface OfDomain {
  scope: Scope;
  locale: string;
  homePageId: number | null;
}

/**
 * Finds the tenant whose verified domain the request names as its host, before a transaction opens.
 * @throws ApiError 404 without one
 */
export async function domainOfHost(
  tools: Pick<PublicTools, 'settingsOf'>,
  tx: Pick<Tx, 'sql'>,
  caller: Caller,
): Promise<OfDomain> {
  const domain = caller.host === undefined ? undefined : await findVerified(tx, caller.host);
  if (!domain) throw fail('not_found');
  const { tenantId, environment, homePageId } = domain;
  const scope = { tenantId, environment };
  return { scope, locale: await localeOf(tools, scope, caller), homePageId };
}
