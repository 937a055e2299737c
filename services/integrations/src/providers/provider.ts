import type { OauthProvider } from '@tandem/integrations-contract';

/** The body of a response of the token endpoint. */
export type TokenBody = Record<string, unknown>;

/** An OAuth 2.0 provider: its addresses, and how it departs from the standard. */
export interface Provider {
  key: OauthProvider;
  name: string;
  authorizationUrl: string;
  tokenUrl: string;
  /** How the client authenticates at the token endpoint. */
  clientAuth: 'basic' | 'post';
  /** Further parameters of the authorization request. */
  parameters?: Record<string, string>;
  /** Separates scopes, if it is not the space of the standard. */
  scopeSeparator?: string;
  /**
   * How access is revoked: an endpoint as in RFC 7009, or a request of the provider's own. Absent if the provider offers
   * none.
   */
  revocation?: string | ((tokens: { accessToken: string; refreshToken: string | null }) => RevocationRequest);
  /** Whether a revocation ends the grant of the account, with the tokens of other connections of the same account. */
  revokesAccount?: true;
  /** Converts a response of the token endpoint to the form of the standard (RFC 6749, section 5). */
  standardize?: (status: number, body: TokenBody) => { status: number; body: TokenBody };
}

/** A request that revokes access; undefined if there is nothing to revoke. */
export type RevocationRequest =
  | {
      url: string;
      method: 'POST' | 'DELETE';
      headers?: Record<string, string>;
      isRevoked: (body: TokenBody) => boolean;
    }
  | undefined;
