import type { Tools } from '../../../handler.ts';

interface Named {
  tenantId: number;
  environment: 'live' | 'sandbox';
  requestId: number;
}

/** The name of a request in events of a provider, which have no tenant. The secret of the provider protects them. */
export function externalIdOf({ ids }: Pick<Tools, 'ids'>, { tenantId, environment, requestId }: Named): string {
  return `${environment}_${ids.encode('signature_request', tenantId, requestId)}`;
}

export function readExternalId({ ids }: Pick<Tools, 'ids'>, text: string): Named | undefined {
  const [, environment, code = ''] = /^(live|sandbox)_([a-zA-Z0-9]{16,20})$/.exec(text) ?? [];
  const located = ids.locate('signature_request', code);
  if (!located || !environment) return undefined;
  return { tenantId: located.tenantId, environment: environment as Named['environment'], requestId: located.id };
}
