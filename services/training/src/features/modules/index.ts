import type { Handlers } from '@tandem/service';
import type { modules } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { createModule } from './create-module.ts';
import { deleteModule } from './delete-module.ts';
import { getModule } from './get-module.ts';
import { listModules } from './list-modules.ts';
import { orderLessons } from './order-lessons.ts';
import { orderModules } from './order-modules.ts';
import { updateModule } from './update-module.ts';

export const moduleHandlers = {
  createModule,
  listModules,
  getModule,
  updateModule,
  deleteModule,
  orderModules,
  orderLessons,
} satisfies Handlers<typeof modules, Tx>;
