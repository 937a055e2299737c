import type { PortalSession } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { accessSeconds } from '../../tokens.ts';
import { issueRefreshToken } from '../auth/session.ts';

/** Issues an access token and the next refresh token of a portal session. */
export async function issuePortalTokens(
  tx: Tx,
  of: { tenantId: number; sessionId: number; portalUserId: number },
  tools: Tools,
): Promise<z.output<typeof PortalSession>> {
  return {
    accessToken: tools.tokens.portal(of),
    refreshToken: await issueRefreshToken(tx, of),
    expiresIn: accessSeconds,
    expiresAt: new Date(Date.now() + accessSeconds * 1_000),
  };
}
