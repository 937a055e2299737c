import { isDeepStrictEqual } from 'node:util';
import { type FieldError, misfit, unknownId } from '@tandem/contract';
import { partnerTiers, partnerTiersUpdated, type tiers } from '@tandem/partner-contract';
import { asService, fail, reachOf } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { reviewAllTiersJob } from './tier-jobs.ts';
import { hasRequirements, readTiers, type TierRecord, writeTiers } from './tier-rules.ts';

type Row = typeof tiers.setPartnerTiers;
type FoundCourse = Awaited<ReturnType<Tools['peers']['training']['findCourses']>>[number];

export const setPartnerTiers = ({ peers }: Pick<Tools, 'peers'>): Handler<Row, TierRecord[]> => ({
  async check({ body, caller, tx }) {
    // A course that is required already may have been deleted since: the tiers can be set again with it.
    const known = new Set((await readTiers(tx)).tiers.flatMap(({ requiredCourseIds }) => requiredCourseIds));
    const given = body.tiers.flatMap(({ requiredCourseIds }) => requiredCourseIds);
    const courseIds = [...new Set(given)].filter((id) => !known.has(id));
    if (courseIds.length) {
      const reach = reachOf(caller, 'training:read');
      if (reach === 'none')
        throw fail('forbidden', [{ field: 'tiers', message: 'Requires the permission training:read' }]);
      const courses = await peers.training.findCourses({ body: { ids: courseIds }, as: asService(caller) });
      checkCourses(body.tiers, courses, known);
    }
    checkFigures(body.tiers);
    return partnerTiers.flatMap((name) => body.tiers.filter(({ tier }) => tier === name));
  },
  async run({ caller, tx, emit, schedule, ifMatch, found: wanted }) {
    // There may be no row to lock.
    await lockNamed(tx, 'tier_rule');
    const before = await readTiers(tx);
    ifMatch(before);
    if (isDeepStrictEqual(before.tiers, wanted) && before.updatedAt) return before;
    const version = before.version + 1;
    await writeTiers(tx, wanted, version);
    const after = await readTiers(tx);
    emit(partnerTiersUpdated, {
      data: { version },
      record: { id: caller.tenantId as number, ...after },
      changes: { tiers: { from: before.tiers, to: after.tiers } },
    });
    await schedule(reviewAllTiersJob, [{ after: 0, version }]);
    return after;
  },
});

/** @throws 422 unless each tier is there once, with figures that fit and no course twice, and `bronze` has no requirements */
function checkFigures(given: readonly TierRecord[]): void {
  const missing = partnerTiers.filter((tier) => given.filter((one) => one.tier === tier).length !== 1);
  if (missing.length)
    throw fail('validation_failed', [
      { field: 'tiers', message: `Must contain each tier once; check ${missing.join(', ')}` },
    ]);
  const errors: FieldError[] = [];
  for (const [index, tier] of given.entries()) {
    if (tier.tier === 'bronze' && hasRequirements(tier))
      errors.push({
        field: `tiers.${index}`,
        message: 'bronze is the tier of every partner; it must have no requirements',
      });
    const { wonValue } = tier.thresholds;
    const message = wonValue && misfit(wonValue.amount, wonValue.currency);
    if (message) errors.push({ field: `tiers.${index}.thresholds.wonValue.amount`, message });
    for (const [place, id] of tier.requiredCourseIds.entries())
      if (tier.requiredCourseIds.indexOf(id) < place)
        errors.push({ field: `tiers.${index}.requiredCourseIds.${place}`, message: 'The course is in the list twice' });
  }
  if (errors.length) throw fail('validation_failed', errors);
}

/** @throws 422 for a course that does not exist, or that partners cannot take */
function checkCourses(given: readonly TierRecord[], courses: readonly FoundCourse[], known: ReadonlySet<number>): void {
  const errors: FieldError[] = [];
  for (const [index, { requiredCourseIds }] of given.entries())
    for (const [place, id] of requiredCourseIds.entries()) {
      if (known.has(id)) continue;
      const field = `tiers.${index}.requiredCourseIds.${place}`;
      const course = courses.find((one) => one.id === id);
      if (!course) errors.push({ field, message: unknownId('course') });
      else if (course.audience === 'users')
        errors.push({ field, message: 'The course is for users only; send the id of a course for partners' });
      else if (course.status === 'archived')
        errors.push({ field, message: 'The course is archived; publish it again, or send the id of another course' });
    }
  if (errors.length) throw fail('validation_failed', errors);
}
