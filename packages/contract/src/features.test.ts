import { z } from 'zod';
import { addonFeatures, featureKeys, lowestPlanWith, missingFeature, planFeatures } from './features.ts';
import { operations } from './operation.ts';
import { planCodes } from './plans.ts';

it('each plan has the features of the plans before it, and at least one more', () => {
  for (const [index, code] of planCodes.slice(1).entries()) {
    const lower = planFeatures[planCodes[index] as keyof typeof planFeatures];
    expect(planFeatures[code]).toEqual(expect.arrayContaining(lower));
    expect(planFeatures[code].length).toBeGreaterThan(lower.length);
  }
  expect([...planFeatures.enterprise, ...addonFeatures].sort()).toEqual([...featureKeys].sort());
});

it('a missing feature names the lowest plan that includes it', () => {
  expect(lowestPlanWith('agents')).toBe('pro');
  const { message, errors } = missingFeature('agents');
  expect(message).toContain('AI agents');
  expect(message).toContain('plan Pro');
  expect(errors).toEqual([{ field: 'plan', message: expect.stringContaining('agents') }]);
});

it('a feature of addons only names no plan', () => {
  expect(lowestPlanWith('search_settings')).toBeUndefined();
  expect(missingFeature('search_settings').message).toContain('addon');
});

it('a GET has no feature, because existing data stays readable', () => {
  const row = { path: '/v1/x', permission: 'leads:read', summary: '', reply: z.object({}), message: '' } as const;
  expect(() => operations({ getX: { ...row, method: 'GET', feature: 'agents' } })).toThrow('getX');
});
