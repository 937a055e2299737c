import { landingPageDeleted, type landingPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asLandingPage, lockPage } from './landing-page.ts';

export const deleteLandingPage: Handler<typeof landingPages.deleteLandingPage> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const page = asLandingPage(await lockPage(tx, params.id));
  ifMatch(page);
  await tx.landingPage.deleteMany({ where: { id: page.id } });
  emit(landingPageDeleted, { data: { landingPageId: page.id }, record: page });
  return { id: page.id, deleted: true };
};
