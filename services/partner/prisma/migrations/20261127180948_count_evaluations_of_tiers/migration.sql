-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "tier_evaluations" INTEGER NOT NULL DEFAULT 0;
