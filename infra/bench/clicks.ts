import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { formatNumber } from './numbers.ts';
import type { Place } from './place.ts';
import type { Row } from './results.ts';
import { runLoad } from './wrk.ts';

const goal = 1_000;
const codes = 50;
const seconds = 10;
const storedMs = 30_000;

/** The members of the fleet that referral links need. */
export const clickMembers = ['identity', 'partner'];

/** Follows referral links of one tenant, and checks that every click is counted. */
export async function measureClicks(place: Place): Promise<Row[]> {
  // Each visitor has an address of its own, as behind a load balancer.
  const settings = { TRUSTED_PROXIES: '127.0.0.1', SHARED_ADDRESS_RATE_PER_MINUTE: '1000000' };
  await Promise.all([
    ...clickMembers.map((name) => place.startMember(name)),
    place.startMember('gateway', { settings }),
  ]);
  place.log('following referral links');
  const tenant = await place.aTenant();
  const { partnerId, paths } = await addLinks(tenant, place.baseUrl);
  const file = join(place.dir, 'tmp/click-paths');
  writeFileSync(file, paths.join('\n'));
  const load = { url: place.baseUrl, connections: 64, script: 'clicks.lua', env: { PATHS: file } };
  const warmUp = await runLoad(place.programs, { ...load, seconds: 2 });
  const { perSecond, p99, answers } = await runLoad(place.programs, { ...load, seconds });
  const followed = warmUp.answers + answers;
  const from = performance.now();
  // The load generator counts no answer that arrives after its end, so more clicks can be stored.
  const { clicks, uniqueClicks } = await until(
    'all clicks are stored',
    async () => {
      const sums = await countClicks(tenant, partnerId);
      return sums.clicks >= followed && sums;
    },
    storedMs,
  );
  const storedAfter = performance.now() - from;
  return [
    {
      id: 'clicks',
      what: 'Clicks on referral links',
      goal: `≥ ${formatNumber(goal)}/s`,
      reached: `${formatNumber(perSecond)}/s`,
      detail: `p99 ${formatNumber(p99)} ms, 64 connections, ${codes} codes; ${formatNumber(clicks)} clicks of ${formatNumber(uniqueClicks)} visitors were stored ${formatNumber(storedAfter)} ms after the end`,
      isReached: perSecond >= goal,
    },
  ];
}

/** Adds an approved partner with codes, and a page for their links. */
async function addLinks({ api, owner }: TestTenant, baseUrl: string): Promise<{ partnerId: string; paths: string[] }> {
  const { data: addons } = await owner.listAddonCatalog({});
  const params = { addonId: addons.find(({ key }) => key === 'partner_program')?.id as string };
  const config = { defaultLandingUrl: 'https://www.example.com/offer' };
  await owner.installAddon({ params, body: { config } });
  await owner.activateAddon({ params });
  const { data: partner } = await api.createPartner({
    body: { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke' },
  });
  const { id } = partner;
  if (partner.status !== 'approved') await api.approvePartner({ params: { id }, body: {} });
  const paths: string[] = [];
  for (let number = 0; number < codes; number++) {
    const { data } = await api.createReferralCode({ params: { id }, body: {} });
    paths.push(new URL(data.link).pathname);
  }
  await until('the page is known', async () => {
    return (await fetch(`${baseUrl}${paths[0]}`, { redirect: 'manual' })).status === 302;
  });
  return { partnerId: id, paths };
}

async function countClicks({ api }: TestTenant, id: string): Promise<{ clicks: number; uniqueClicks: number }> {
  const { data } = await api.getPartner({ params: { id } });
  const sum = (field: 'clicks' | 'uniqueClicks') => data.referralCodes.reduce((all, code) => all + code[field], 0);
  return { clicks: sum('clicks'), uniqueClicks: sum('uniqueClicks') };
}
