package dev.meshguard.verdict;

class FixesTests {

    @Stories("""
            of a lost buffer that is not closeable needs a finally block
                source pool, memory pool memory, freed by release released;
                allocate SYSTEM_MEMORY 1 on none, from pool; handle lost
                fix Release the buffer before the test ends on every path: in a finally block.
            of a buffer that a view shares is a free of the view
                mesh 0 over 0; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, STILL_SHARED; handle lost; close
                fix Free the view that shares it too, or free it with force.
            of a free that failed is the call that failed
                mesh 0 over 0; allocate DRAM 0x1000 on 0; ignore DRAM 0x1000 on 0, FAILED; handle held; close
                fix Correct the call that failed: the buffer stays until a free succeeds.
            of memory of a program that was never closed names the program
                mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 7; handle held; close
                fix Close the workload, or a program that is in none, before close_mesh_device: program 7 keeps its
                    memory until then.
            is missing for [memory of a program that ended | an undecided buffer]
                mesh 0 over 0; allocate DRAM 0x1000 on 0[, of program 7; end program 7; close | ]
                = no fix
            is missing where the free could not be reported
                mesh 0 over 0; allocate DRAM 0x1000 on 0; stopped the runtime shut its tracker down; started;
                witness CLOSE_BEGUN DRAM on 0; close
                = no fix
            is missing for memory that the runtime allocated in an operation
                phase ttnn.matmul (operation 2); allocate L1 0x1000 on 0, of other ttnn.matmul
                = no fix
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }
}
