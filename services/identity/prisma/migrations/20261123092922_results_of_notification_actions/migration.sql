-- AlterTable
ALTER TABLE "notification" ADD COLUMN     "results" JSONB NOT NULL DEFAULT '{}';
