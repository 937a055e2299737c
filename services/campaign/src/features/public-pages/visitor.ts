/** The tenant and environment of a public address. */
export interface Scope {
  tenantId: number;
  environment: 'live' | 'sandbox';
}

/** The visitor who requests a page. */
export interface Visitor {
  cookie: string | undefined;
  isSoftware: boolean;
  /** The token of the link by which the visitor came. */
  token: string | undefined;
}
