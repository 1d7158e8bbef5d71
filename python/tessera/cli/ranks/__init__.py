"""`tessera run` on several processes, the ranks of MPI: what launches them, what each is wrapped in, and what is said when one fails."""
