import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { createTenantDb } from '@tandem/tenant-db';
import { testSettings } from '@tandem/testing';
import { crmOperations } from '../../crm-operations.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { Prisma, PrismaClient } from '../../generated/client.ts';
import { writeParts } from './audience.ts';
import { audiencePage } from './audience-page.ts';

const tenantId = 1;
const scope = { tenantId, environment: 'live' } as const;
const caller = { ...scope, type: 'system', permissions: [], requestId: 'test' } as const;

let crm: CrmPeer;
let settings: Awaited<ReturnType<typeof testSettings>>;
let db: ReturnType<typeof open>;
const open = () =>
  createTenantDb({
    url: settings.DATABASE_URL,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
  });
beforeAll(async () => {
  crm = await crmPeer();
  settings = await testSettings('campaign');
  db = open();
});
afterAll(async () => {
  await db?.close();
  await settings?.drop();
  await crm?.close();
});

it('reads an audience of overlapping parts in pages of 1,000: every lead once, in order, without excluded ones', async () => {
  const client = createServiceClient({
    service: 'campaign',
    signer: createCallerSigner(process.env['INTERNAL_SECRETS'] as string),
    operations: crmOperations,
    baseUrl: crm.url,
  });
  const ids = Array.from({ length: 2_600 }, (_, index) =>
    Number(crm.addLead(tenantId, { tags: index % 2 ? ['vip'] : [], score: index < 2_500 ? 50 : 0 })),
  );
  const inSegment = ids.filter((_, index) => index % 3 === 0 && index < 2_500);
  const named = ids.slice(2_000, 2_500);
  const excluded = new Set([...ids.slice(995, 1_005), ...ids.slice(10, 20)]);
  const campaign = await db.transaction(scope, async () => {
    const { tx } = db;
    const created = await tx.campaign.create({ data: { name: 'Spring' } });
    const segment = await tx.segment.create({ data: { name: 'Fair', type: 'static', leadCount: inSegment.length } });
    await tx.segmentLead.createMany({ data: inSegment.map((leadId) => ({ segmentId: segment.id, leadId })) });
    await writeParts(tx, created.id, {
      include: [
        { segmentId: segment.id },
        { leadIds: named },
        { conditions: [{ field: 'score', operator: 'at_least', value: 50 }] },
      ],
      exclude: [
        { leadIds: [...excluded] },
        { conditions: [{ field: 'email', operator: 'equals', value: `lead${ids[5]}@example.com` }] },
      ],
    });
    return created;
  });

  const pages: number[][] = [];
  let after: number | null = null;
  do {
    const page: Awaited<ReturnType<typeof audiencePage>> = await db.within(scope, () =>
      audiencePage({ crm: client }, db.tx, campaign, { after, limit: 1_000 }, caller),
    );
    pages.push(page.leadIds);
    expect(page.next === null || page.next > (after ?? 0)).toBe(true);
    after = page.next;
  } while (after !== null);

  const expected = ids.slice(0, 2_500).filter((id) => !excluded.has(id) && id !== ids[5]);
  expect(pages.flat()).toEqual(expected);
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
});
