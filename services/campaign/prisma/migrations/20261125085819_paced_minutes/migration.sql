-- AlterTable
ALTER TABLE "domain_pace" ADD COLUMN     "postponed" INTEGER NOT NULL DEFAULT 0;
