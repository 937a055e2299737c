import { landingPageDeleted, type landingPages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { hasRunningTest, removeTests } from '../ab-tests/remove-tests.ts';
import { asLandingPage, lockPage } from './landing-page.ts';

export const deleteLandingPage: Handler<typeof landingPages.deleteLandingPage> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const page = asLandingPage(await lockPage(tx, params.id));
  ifMatch(page);
  if (await hasRunningTest(tx, { landingPageId: page.id })) throw fail('page_in_test');
  // Domains lock the page that becomes their home page, so none can choose it meanwhile.
  if (await tx.pageDomain.count({ where: { homePageId: page.id } })) throw fail('page_is_home');
  await removeTests({ tx, emit }, { landingPageId: page.id });
  await tx.landingPage.deleteMany({ where: { id: page.id } });
  emit(landingPageDeleted, { data: { landingPageId: page.id }, record: page });
  return { id: page.id, deleted: true };
};
