-- AlterTable
ALTER TABLE "segment" ADD COLUMN     "behavior" JSONB;
