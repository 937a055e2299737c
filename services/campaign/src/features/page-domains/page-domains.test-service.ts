import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import type { NameServer } from '../../dns.test-service.ts';

type Api = ReturnType<TestService<typeof campaign>['as']>;

export interface TestDomain {
  id: string;
  host: string;
  records: { name: string; value: string }[];
}

interface Visit {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  userAgent?: string;
}

let number = 0;

/** Page domains of tests, and the records of their hosts at a name server. */
export function domainsOf(service: TestService<typeof campaign>, names: NameServer) {
  const added = async (api: Api, fields: Record<string, unknown> = {}): Promise<TestDomain> => {
    const { data } = await api.createPageDomain({ body: { host: `www.d${++number}.example`, ...fields } });
    return data;
  };
  const prove = ({ records: [proof] }: TestDomain): void => {
    if (proof) names.txt.set(proof.name, [...(names.txt.get(proof.name) ?? []), proof.value]);
  };
  return {
    added,
    prove,
    disprove: ({ records: [proof] }: TestDomain) => names.txt.delete(proof?.name ?? ''),
    async verified(api: Api, fields?: Record<string, unknown>): Promise<TestDomain> {
      const domain = await added(api, fields);
      prove(domain);
      const { data } = await api.verifyPageDomain({ params: { id: domain.id } });
      expect(data.status).toBe('verified');
      return data;
    },
    /** Requests a path on a host as a visitor, whose gateway names the host. */
    visit(
      host: string,
      path: string,
      { headers = {}, query = {}, userAgent = 'Mozilla/5.0 (X11; Linux)' }: Visit = {},
    ) {
      const visitor = { type: 'anonymous', permissions: [], host, userAgent } as const;
      const { tenantId: _, ...caller } = service.as(visitor).caller;
      const row = path === '/' ? service.operations.showDomainHome : service.operations.showDomainPage;
      return service.send(row, { params: { slug: path.slice(1) }, headers, query }, caller);
    },
  };
}
