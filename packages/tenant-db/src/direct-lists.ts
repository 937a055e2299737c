import { type Args, NotPlain } from './conditions.ts';
import { prismaError } from './errors.ts';
import { containing, countPage, findIds, findPage, type PageReader, pageOfIds } from './list-page.ts';
import type { Model } from './models.ts';
import type { FoundPage, IdsArgs, PageArgs } from './page-args.ts';

/** The operations of a model by name, as Prisma's client has them. */
export type Operations = Record<string, (args: Args) => PromiseLike<unknown>>;

interface ListQueries {
  findPage(args: PageArgs): Promise<unknown>;
  countPage(args: PageArgs): Promise<unknown>;
  findIds(args: IdsArgs): Promise<unknown>;
}

/**
 * `findPage`, `countPage` and `findIds` of a model, sent directly to PostgreSQL, and through Prisma for conditions that only Prisma
 * supports.
 * @param throughPrisma called for each query that goes through Prisma's engine
 */
export function listQueries(
  model: Model,
  delegate: Operations,
  reader: PageReader,
  throughPrisma: (model: string, operation: string) => void,
): ListQueries {
  const run = async <Result>(
    operation: string,
    direct: () => Promise<Result>,
    byPrisma: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      if (!model.isPlain) throw new NotPlain();
      return await direct();
    } catch (error) {
      if (!(error instanceof NotPlain)) throw prismaError(error);
      throughPrisma(model.name, operation);
      return byPrisma();
    }
  };
  return {
    findPage: (args) =>
      run(
        'findPage',
        () => findPage(model, args, reader),
        () => pageThroughPrisma(delegate, args),
      ),
    countPage: (args) =>
      run(
        'countPage',
        () => countPage(model, args, reader),
        () => countThroughPrisma(delegate, args),
      ),
    findIds: (args) =>
      run(
        'findIds',
        () => findIds(model, args, reader),
        async () => (await pageThroughPrisma(delegate, pageOfIds(args))).rows.map(({ id }) => id),
      ),
  };
}

/** Reads a page whose conditions only Prisma supports: those on lists of related records. */
async function pageThroughPrisma(delegate: Operations, args: PageArgs): Promise<FoundPage> {
  const { sort, isDescending, after = [], skip, take, select } = args;
  const direction = isDescending ? 'desc' : 'asc';
  const all = allOf(args);
  const [rows, total] = await Promise.all([
    delegate['findMany']?.({
      where: after.length ? { AND: [all, { OR: after }] } : all,
      orderBy: sort === 'id' ? { id: direction } : [{ [sort]: direction }, { id: direction }],
      take,
      skip,
      ...(select && { select }),
    }),
    args.isUncounted ? undefined : delegate['count']?.({ where: all }),
  ]);
  return { rows: rows as Args[], total: total as number | undefined, isLarge: false };
}

async function countThroughPrisma(delegate: Operations, args: PageArgs): Promise<number | undefined> {
  return (await delegate['count']?.({ where: allOf(args) })) as number | undefined;
}

function allOf({ where, search }: PageArgs): Args {
  return { AND: [where, ...(search ? [containing(search.text, search.columns)] : [])] };
}
