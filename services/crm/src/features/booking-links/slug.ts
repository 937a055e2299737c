import type { IdCodec } from '@tandem/ids';

const nameMax = 60;
// Two dashes, which no name has, so that no link in live ends like one in the sandbox.
const sandboxSuffix = '--sandbox';
// Links of earlier releases have this form in the sandbox. Names in live can end like it, too.
const ambiguousSuffix = '-sandbox';

type Environment = 'live' | 'sandbox';

interface Owner {
  tenantId: number;
  environment: Environment;
}

/**
 * The slug of a booking link: a name, which is unique in the tenant, and the code of the tenant, so that the public page
 * knows the tenant without a lookup across tenants.
 */
export function slugOf(
  ids: IdCodec,
  { tenantId, environment }: Owner,
  { slug, title }: { slug?: string; title: string },
) {
  const name = slug ?? nameFrom(title);
  const suffix = environment === 'sandbox' ? sandboxSuffix : '';
  return `${name}${suffix}-${ids.encode('tenant', tenantId, tenantId)}`;
}

/** The tenant of a slug, and the environments that can have it, the likeliest first; undefined if it has no tenant. */
export function ownerOf(
  ids: IdCodec,
  slug: string,
): { tenantId: number; environments: [Environment, ...Environment[]] } | undefined {
  const [, name = '', code = ''] = /^(.*)-([0-9A-Za-z]+)$/.exec(slug) ?? [];
  const tenantId = ids.decode('tenant', undefined, code);
  if (tenantId === undefined) return undefined;
  if (name.endsWith(sandboxSuffix)) return { tenantId, environments: ['sandbox'] };
  return { tenantId, environments: name.endsWith(ambiguousSuffix) ? ['live', 'sandbox'] : ['live'] };
}

function nameFrom(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, nameMax)
    .replace(/^-+|-+$/g, '');
  return words || 'booking';
}
