import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'files', 'partner', 'training', 'search'] });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const names = ['bronze', 'silver', 'gold', 'platinum'] as const;

/** A published course for partners with one lesson. */
async function aCourse(title: string) {
  const { data: course } = await tenant.api.createCourse({ body: { title, audience: 'partners' } });
  const params = { id: course.id };
  const { data: lesson } = await tenant.api.createLesson({
    params,
    body: { title: 'Read', type: 'text', content: 'Ask.' },
  });
  await tenant.api.publishCourse({ params });
  return { id: course.id, lessonId: lesson.id };
}

it('a partner who completes a required course gets the tier, what it enrols in, and its material', async () => {
  const { api } = tenant;
  const basics = await aCourse('Basics');
  const advanced = await aCourse('Advanced');
  await api.createEnrollmentRule({
    body: { title: 'For gold', courseId: advanced.id, learnerType: 'partner', tiers: ['gold'] },
  });
  const gold = { requiredCourseIds: [basics.id], benefits: ['A manager of your own'] };
  const { data: set } = await api.setPartnerTiers({
    body: { tiers: names.map((tier) => ({ tier, ...(tier === 'gold' && gold) })) },
  });
  expect(set.tiers[2]).toMatchObject(gold);
  const source = { sourceType: 'file', fileUrl: 'https://cdn.example.com/a.pdf' } as const;
  const body = { name: 'For gold', category: 'print', minTier: 'gold', ...source } as const;
  const { data: material } = await api.createCoMarketingResource({ body });

  const { data: partner } = await api.createPartner({
    body: { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke' },
  });
  const params = { id: partner.id };
  await api.approvePartner({ params, body: {} });
  const person = { email: 'joan@example.com', password: 'a long phrase is best' };
  await api.createPortalUser({ params, body: { ...person, role: 'owner' } });
  const { data: session } = await fleet.api().loginToPortal({ body: { ...person, tenant: tenant.id } });
  const portal = fleet.api({ accessToken: session.token, tenantId: tenant.id });
  expect((await portal.listPortalCoMarketing()).data).toEqual([]);
  const { data: enrollment } = await portal.createPortalEnrollment({ body: { courseId: basics.id } });
  await portal.completePortalLesson({ params: { id: enrollment.id, lessonId: basics.lessonId } });

  await until('the partner is gold', async () => (await api.getPartner({ params })).data.tier === 'gold');
  expect((await portal.listPortalCoMarketing()).data).toMatchObject([{ id: material.id }]);
  expect((await portal.getPortalMe()).data.tierBenefits).toEqual(gold.benefits);
  await until('the rule has enrolled the partner', async () => {
    const { data } = await portal.listPortalEnrollments();
    return data.some(({ courseId, source: by }) => courseId === advanced.id && by === 'rule');
  });
  await until('search has the new tier', async () => {
    const { data } = await api.searchPartners({ query: { q: 'joan', tier: 'gold' } });
    return data.length === 1;
  });
  const { data: history } = await api.listTierChanges({ params });
  expect(history.map(({ from, to, cause }) => [from, to, cause])).toEqual([
    ['bronze', 'gold', 'evaluation'],
    [null, 'bronze', 'registration'],
  ]);

  const sandbox = fleet.api({ apiKey: tenant.sandbox });
  const foreign = sandbox.setPartnerTiers({
    body: { tiers: names.map((tier) => ({ tier, ...(tier === 'gold' && gold) })) },
  });
  await expect(foreign).rejects.toMatchObject({ status: 422 });
});
