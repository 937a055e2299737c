-- AlterTable
ALTER TABLE "campaign" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);
