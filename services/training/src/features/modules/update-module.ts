import { diff, fail } from '@tandem/service';
import { type modules, moduleUpdated } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { changeContent } from '../content/change-content.ts';
import { lockModule } from './module.ts';

export const updateModule: Handler<typeof modules.updateModule> = async ({
  params,
  body,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const { course, module: before } = await lockModule(tx, params);
  ifMatch(before);
  const { isEmpty, values, audit } = diff(before, body);
  if (isEmpty) return before;
  const [module] = await tx.module.updateManyAndReturn({
    where: { id: before.id },
    data: { ...values, version: { increment: 1 } },
  });
  if (!module) throw fail('not_found');
  await changeContent({ tx, schedule }, course, { isStructure: false });
  emit(moduleUpdated, { data: { moduleId: module.id, courseId: course.id }, record: module, changes: audit });
  return module;
};
