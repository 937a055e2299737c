import type { Tools, Tx } from '../../handler.ts';

/** The address of the page with a slug on a domain; of its home page without one. The platform serves all hosts on one port. */
export function domainUrlOf({ publicUrl }: Pick<Tools, 'publicUrl'>, host: string, slug = ''): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port && `:${port}`}/${slug}`;
}

/** The address of a page on the oldest verified domain of its tenant, or on that whose home page it is; undefined without one. */
export async function findDomainUrl(
  tools: Pick<Tools, 'publicUrl'>,
  tx: Tx,
  page: { id: number; slug: string },
): Promise<string | undefined> {
  const domains = await tx.pageDomain.findMany({
    where: { status: 'verified' },
    select: { host: true, homePageId: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const ofHome = domains.find(({ homePageId }) => homePageId === page.id);
  if (ofHome) return domainUrlOf(tools, ofHome.host);
  const [oldest] = domains;
  return oldest && domainUrlOf(tools, oldest.host, page.slug);
}
